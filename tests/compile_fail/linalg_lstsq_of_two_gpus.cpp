// SPDX-License-Identifier: Apache-2.0
// Least squares with operands on two GPUs.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<0>)(?=.*Cuda<1>)
#include <situ/linalg.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<double, Cuda<0>>& a, const Tensor<double, Cuda<1>>& b) {
  return lstsq(a, b.to(gpu<0>));
}
#else
auto mistake(const Tensor<double, Cuda<0>>& a, const Tensor<double, Cuda<1>>& b) {
  return lstsq(a, b);
}
#endif
