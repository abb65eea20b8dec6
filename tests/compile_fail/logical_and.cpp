// SPDX-License-Identifier: Apache-2.0
// A logical operator.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool, Cpu>& x, const Tensor<bool, Cuda<1>>& w) {
  return x && w.to<Cpu>();
}
#else
auto mistake(const Tensor<bool, Cpu>& x, const Tensor<bool, Cuda<1>>& w) {
  return x && w;
}
#endif
