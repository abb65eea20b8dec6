// SPDX-License-Identifier: Apache-2.0
// Extents as several arguments, and axes as several arguments.
// first: (?=.*several_numbers_are_one_argument)(?=.*fix_write_them_in_braces)
// within: (?s)(error[^\n]*several_numbers_are_one_argument.*){2}
// lines: 25
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float>& x) {
  static_cast<void>(reshape(x, {4, 3}));
  static_cast<void>(permute(x, {1, 0}));
}
#else
void mistake(const Tensor<float>& x) {
  reshape(x, 4, 3);
  permute(x, 1, 0);
}
#endif
