// SPDX-License-Identifier: Apache-2.0
// `!=`, which C++20 also tries by `==`.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return w != x.to<Cuda<1>>();
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return w != x;
}
#endif
