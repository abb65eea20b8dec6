// SPDX-License-Identifier: Apache-2.0
// What is spread already changes its layout by a collective; it is not sent again.
// first: (?=.*the_value_is_spread_already)(?=.*fix_call_all_gather_or_reshard)
// within: (?s)(error[^\n]*the_value_is_spread_already.*){3}
// lines: 40
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s) {
  static_cast<void>(all_gather(s));
  static_cast<void>(all_gather(s));
  static_cast<void>(reshard<1>(s));
}
#else
void mistake(const On<Sharded<0>>& s) {
  replicate(s, gpu<0>, gpu<1>);
  as<Replicated>(s);
  shard<1>(s, gpu<0>, gpu<1>);
}
#endif
