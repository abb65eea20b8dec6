// SPDX-License-Identifier: Apache-2.0
// Terms are added up, not put beside each other.
// first: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)
#include <situ/world/group.hpp>

using namespace situ;
template <class L>
using OnRanks = Spread<float, L, Ranks<Cpu>>;

#ifdef SITU_CONTROL
auto mistake(const Group<Cpu>& group, const OnRanks<Partial<>>& p) { return group.all_reduce(p); }
#else
auto mistake(const Group<Cpu>& group, const OnRanks<Partial<>>& p) { return group.all_gather(p); }
#endif
