// SPDX-License-Identifier: Apache-2.0
// Subscripts as NumPy takes them.
// first: (?=.*subscripts_of_einsum_are_a_template_argument)(?=.*fix_write_them_in_angle_brackets)
#include <situ/einsum.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<float>& y) { return einsum<"ij,jk->ik">(x, y); }
#else
auto mistake(const Tensor<float>& x, const Tensor<float>& y) { return einsum("ij,jk->ik", x, y); }
#endif
