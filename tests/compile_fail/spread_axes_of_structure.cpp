// SPDX-License-Identifier: Apache-2.0
// Axes as NumPy writes them, of functions that move or join axes: nine calls, each refused in its first line.
// first: (?=.*axes_of_a_spread_value_are_template_arguments)(?=.*fix_write_them_in_angle_brackets)
// within: (?s)(error[^\n]*axes_of_a_spread_value_are_template_arguments.*){9}
// lines: 100
#include <situ/device/runtime.hpp>
#include <situ/distributed/join.hpp>
#include <situ/distributed/structure.hpp>
#include <situ/distributed/take.hpp>

using namespace situ;
template <class T, class L>
using On = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<float, Sharded<0>>& s, const On<float, Replicated>& r, const On<std::int64_t, Replicated>& rows) {
  static_cast<void>(transpose<0, 1>(s));
  static_cast<void>(permute<1, 0>(s));
  static_cast<void>(unsqueeze<0>(s));
  static_cast<void>(concat<1>(s, s));
  static_cast<void>(stack<1>(s, s));
  static_cast<void>(split<1>(s, {2, 3}));
  static_cast<void>(roll<1>(s, 1));
  static_cast<void>(repeat<1>(s, 2));
  static_cast<void>(take<0>(r, rows));
}
#else
void mistake(const On<float, Sharded<0>>& s, const On<float, Replicated>& r, const On<std::int64_t, Replicated>& rows) {
  transpose(s, 0, 1);
  permute(s, {1, 0});
  unsqueeze(s, 0);
  concat(s, s, 1);
  stack(s, s, 1);
  split(s, {2, 3}, 1);
  roll(s, 1, 1);
  repeat(s, 2, 1);
  take(r, rows, 0);
}
#endif
