// SPDX-License-Identifier: Apache-2.0
// conv3d: the bias is elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/windows3d.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& b) {
  return conv3d(x, x, b.to<Cpu>());
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& b) {
  return conv3d(x, x, b);
}
#endif
