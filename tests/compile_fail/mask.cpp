// SPDX-License-Identifier: Apache-2.0
// x(mask): the mask is elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<bool, Cuda<1>>& mask) {
  return x(mask.to<Cpu>());
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<bool, Cuda<1>>& mask) {
  return x(mask);
}
#endif
