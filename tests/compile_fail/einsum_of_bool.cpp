// SPDX-License-Identifier: Apache-2.0
// einsum: elements that cannot be added.
// first: (?=.*operation_undefined_for_elements)(?=.*Einsum)(?=.*fix_call_cast)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk->ik">(cast<float>(x > 0), cast<float>(w > 0));
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk->ik">(x > 0, w > 0);
}
#endif
