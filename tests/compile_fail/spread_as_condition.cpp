// SPDX-License-Identifier: Apache-2.0
// A comparison of spread values as a condition.
// first: (?=.*a_spread_value_is_no_condition)(?=.*fix_call_any_or_all_and_item)
// first[clang]: deleted function
// within: a_spread_value_is_no_condition::fix_call_any_or_all_and_item
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/reduce.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Pinned, Cuda<0>>;

#ifdef SITU_CONTROL
int mistake(const On<Sharded<0>>& s) {
  if (all_reduce(any(s > 1.f)).item()) return 1;
  return 0;
}
#else
int mistake(const On<Sharded<0>>& s) {
  if (s > 1.f) return 1;
  return 0;
}
#endif
