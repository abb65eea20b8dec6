// SPDX-License-Identifier: Apache-2.0
// `partial` makes terms of what every device has; pieces are no terms, and terms are no parts of a whole for `as`.
// first: (?=.*a_sharded_value_is_no_sum)(?=.*fix_call_all_gather)
// within: (?s)error[^\n]*a_partial_sum_is_not_a_value::fix_call_all_reduce
// lines: 30
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s, const On<Partial<>>& p) {
  static_cast<void>(partial(all_gather(s)));
  static_cast<void>(all_reduce(p));
}
#else
void mistake(const On<Sharded<0>>& s, const On<Partial<>>& p) {
  partial(s);
  as<Replicated>(p);
}
#endif
