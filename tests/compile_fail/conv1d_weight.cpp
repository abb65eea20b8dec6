// SPDX-License-Identifier: Apache-2.0
// conv1d: the weight is elsewhere; no bias.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/windows1d.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return conv1d(x, w.to<Cpu>(), {.stride = 2});
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return conv1d(x, w, {.stride = 2});
}
#endif
