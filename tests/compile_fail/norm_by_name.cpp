// SPDX-License-Identifier: Apache-2.0
// The order of a norm as text, as in PyTorch.
// first: (?=.*the_second_argument_of_norm_could_be_an_axis_or_an_order)(?=.*fix_write_axes_in_braces_or_NormOrder)
// first[clang]: deleted function
// within: fix_write_axes_in_braces_or_NormOrder
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) { return norm(x, NormOrder{2}); }
#else
auto mistake(const Tensor<float>& x) { return norm(x, "fro"); }
#endif
