// SPDX-License-Identifier: Apache-2.0
// No rank has the whole of a sum that is not added up.
// first: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)
#include <situ/world/group.hpp>

using namespace situ;
template <class L>
using OnRanks = Spread<float, L, Ranks<Cpu>>;

#ifdef SITU_CONTROL
auto mistake(const Group<Cpu>& group, const OnRanks<Partial<>>& p) { return group.gather(group.all_reduce(p)); }
#else
auto mistake(const Group<Cpu>& group, const OnRanks<Partial<>>& p) { return group.gather(p); }
#endif
