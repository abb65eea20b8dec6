// SPDX-License-Identifier: Apache-2.0
// einsum: an ellipsis that the output does not have.
// first: (?=.*the_output_of_einsum_lacks_the_ellipsis)(?=.*fix_write_three_dots_in_it)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"...ij,jk->...ik">(x, w);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"...ij,jk->ik">(x, w);
}
#endif
