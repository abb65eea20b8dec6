// SPDX-License-Identifier: Apache-2.0
// einsum: subscripts that cannot be read.
// first: (?=.*einsum_cannot_read)(?=.*'-')(?=.*fix_write_labels_commas_and_an_arrow_as_in_ij_jk_to_ik)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk->ik">(x, w);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk-ik">(x, w);
}
#endif
