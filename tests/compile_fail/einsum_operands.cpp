// SPDX-License-Identifier: Apache-2.0
// einsum: fewer operands than subscripts.
// first: (?=.*einsum_has_subscripts_for<)(?=.*fix_pass_as_many_operands_not)(?=.*\b3\b)(?=.*\b2\b)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk,kl->il">(x, w, x);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk,kl->il">(x, w);
}
#endif
