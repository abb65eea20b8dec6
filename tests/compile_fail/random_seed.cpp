// SPDX-License-Identifier: Apache-2.0
// A seed as a number; the two other functions take it in braces or behind a device.
// first: (?=.*a_seed_is_the_argument_of_a_Generator)(?=.*fix_draw_from_Generator)
// within: (?s)(error[^\n]*a_seed_is_the_argument_of_a_Generator.*){3}
// lines: 40
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake() {
  static_cast<void>(rand({3}, Generator(42)));
  static_cast<void>(randn<double>({3}, gpu<0>, Generator(42)));
  static_cast<void>(permutation(10, Generator(42)));
}
#else
void mistake() {
  rand({3}, 42);
  randn<double>({3}, gpu<0>, 42);
  permutation(10, 42);
}
#endif
