// SPDX-License-Identifier: Apache-2.0
// Axes as NumPy writes them, of reductions and of functions along an axis: seven calls, each refused in its first line.
// first: (?=.*axes_of_a_spread_value_are_template_arguments)(?=.*fix_write_them_in_angle_brackets)
// within: (?s)(error[^\n]*axes_of_a_spread_value_are_template_arguments.*){7}
// lines: 80
#include <situ/device/runtime.hpp>
#include <situ/distributed/order.hpp>
#include <situ/distributed/reduce.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s) {
  static_cast<void>(argmax<1>(s));
  static_cast<void>(var<1>(s));
  static_cast<void>(norm<1>(s));
  static_cast<void>(norm<1>(s, NormOrder{1}));
  static_cast<void>(logsumexp<1>(s));
  static_cast<void>(mean<1, keepdims>(s));
  static_cast<void>(topk<1>(s, 3));
}
#else
void mistake(const On<Sharded<0>>& s) {
  argmax(s, 1);
  var(s, {1});
  norm(s, {1});
  norm(s, {1}, NormOrder{1});
  logsumexp(s, 1);
  mean(s, 1, keepdims);
  topk(s, 3, 1);
}
#endif
