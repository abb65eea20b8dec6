// SPDX-License-Identifier: Apache-2.0
// The rows of a spread value.
// first: (?=.*a_spread_value_has_no_rows_to_walk_over)(?=.*fix_call_gather_local_or_split)
#include <situ/device/runtime.hpp>
#include <situ/distributed/print.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s) {
  for (const float element : gather(s, cpu)) print(element);
}
#else
void mistake(const On<Sharded<0>>& s) {
  for (const float element : s) print(element);
}
#endif
