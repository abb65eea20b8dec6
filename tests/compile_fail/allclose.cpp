// SPDX-License-Identifier: Apache-2.0
// allclose: the right operand is elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/closeness.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& a, const Tensor<float, Cpu>& b) {
  return allclose(a, b.to<Cuda<1>>(), {.relative = 1e-3});
}
#else
auto mistake(const Tensor<float, Cuda<1>>& a, const Tensor<float, Cpu>& b) {
  return allclose(a, b, {.relative = 1e-3});
}
#endif
