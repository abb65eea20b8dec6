// SPDX-License-Identifier: Apache-2.0
// einsum: a label twice in the output.
// first: (?=.*the_output_of_einsum_repeats_label)(?=.*'k')(?=.*fix_write_it_once)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk->ik">(x, w);
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& w) {
  return einsum<"ij,jk->ikk">(x, w);
}
#endif
