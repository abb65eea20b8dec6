// SPDX-License-Identifier: Apache-2.0
// first: static assertion failed.*seven|static_assert failed.*seven
// within: is_seven
#include <type_traits>
template <int N>
void is_seven() {
  static_assert(N == 7, "not seven");
}
#ifdef SITU_CONTROL
int main() { is_seven<7>(); }
#else
int main() { is_seven<8>(); }
#endif
