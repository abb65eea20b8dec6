// SPDX-License-Identifier: Apache-2.0
// meshgrid: the third operand is elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/indexing.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y, const Tensor<float, Cuda<1>>& z) {
  return meshgrid(x, y, z.to<Cpu>());
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y, const Tensor<float, Cuda<1>>& z) {
  return meshgrid(x, y, z);
}
#endif
