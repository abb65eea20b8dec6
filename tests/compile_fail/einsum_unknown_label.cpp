// SPDX-License-Identifier: Apache-2.0
// einsum: a label of the output that no operand has.
// first: (?=.*no_operand_of_einsum_has_output_label)(?=.*'m')(?=.*fix_write_it_in_an_operand)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk->ik">(x, w);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk->im">(x, w);
}
#endif
