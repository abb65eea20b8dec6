// SPDX-License-Identifier: Apache-2.0
// cov: the second variables are on another device.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<0>>& y) {
  return cov(x, y.to(cpu));
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<0>>& y) {
  return cov(x, y);
}
#endif
