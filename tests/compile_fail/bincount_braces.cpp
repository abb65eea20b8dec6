// SPDX-License-Identifier: Apache-2.0
// bincount: a number in braces is no name.
// first: the_second_argument_of_bincount_could_be_a_bound_or_a_minimum.*fix_write_dot_size_or_no_braces
#include <situ/order.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) {
  return bincount(x, {.size = 10}) + bincount(x, 10);
}
#else
auto mistake(const Tensor<int>& x) {
  return bincount(x, {10});
}
#endif
