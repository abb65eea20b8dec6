// SPDX-License-Identifier: Apache-2.0
// clamp with one limit.
// first: clamp_takes_two_limits::fix_call_maximum_or_minimum
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/select.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return maximum(x, 0.f) + clamp(x, 0.f, 1.f);
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return clamp(x, 0.f);
}
#endif
