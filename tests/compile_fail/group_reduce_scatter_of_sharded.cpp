// SPDX-License-Identifier: Apache-2.0
// Pieces are put together, not added up.
// first: (?=.*a_sharded_value_is_no_sum)(?=.*fix_call_all_gather)
#include <situ/world/group.hpp>

using namespace situ;
template <class L>
using OnRanks = Spread<float, L, Ranks<Cpu>>;

#ifdef SITU_CONTROL
auto mistake(const Group<Cpu>& group, const OnRanks<Sharded<0>>& s) { return group.all_gather(s); }
#else
auto mistake(const Group<Cpu>& group, const OnRanks<Sharded<0>>& s) { return group.reduce_scatter<0>(s); }
#endif
