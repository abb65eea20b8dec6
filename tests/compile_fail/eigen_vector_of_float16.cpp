// SPDX-License-Identifier: Apache-2.0
// 16-bit floats are situ's own.
// first: (?=.*Eigen_does_not_compute_with_these_elements)(?=.*fix_call_cast)(?=.*float16)
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
float mistake(const Tensor<float16, Cpu>& x) {
  Tensor y = cast<float>(x);
  return eigen_vector(y).norm();
}
#else
float mistake(const Tensor<float16, Cpu>& x) {
  return eigen_vector(x).norm();
}
#endif
