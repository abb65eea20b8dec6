// SPDX-License-Identifier: Apache-2.0
// The Eigen expression is on the left; no tensor gives an operator its guards.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Eigen::ArrayXXf& m, const Tensor<float, Cuda<1>>& w) {
  return 2 * m - w.to<Cpu>();
}
#else
auto mistake(const Eigen::ArrayXXf& m, const Tensor<float, Cuda<1>>& w) {
  return 2 * m - w;
}
#endif
