// SPDX-License-Identifier: Apache-2.0
// gradient: a number could be a spacing, as in NumPy, or an axis, as in diff.
// first: the_second_argument_of_gradient_could_be_a_spacing_or_an_axis::fix_write_which_in_braces
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return gradient(x, {.axis = 1});
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return gradient(x, 1);
}
#endif
