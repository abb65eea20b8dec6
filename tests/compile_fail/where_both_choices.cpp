// SPDX-License-Identifier: Apache-2.0
// where: the mask is on one device, both choices on another.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/select.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool, Cpu>& mask, const Tensor<float, Cuda<1>>& w) {
  return where(mask.to<Cuda<1>>(), w, w);
}
#else
auto mistake(const Tensor<bool, Cpu>& mask, const Tensor<float, Cuda<1>>& w) {
  return where(mask, w, w);
}
#endif
