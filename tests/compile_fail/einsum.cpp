// SPDX-License-Identifier: Apache-2.0
// einsum: the second operand is elsewhere.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return einsum<"ij,jk->ik">(x, w.to<Cpu>());
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return einsum<"ij,jk->ik">(x, w);
}
#endif
