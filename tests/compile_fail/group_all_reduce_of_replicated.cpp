// SPDX-License-Identifier: Apache-2.0
// Every rank has the sum already.
// first: (?=.*a_replicated_value_is_summed_already)(?=.*fix_leave_out_the_reduction)
#include <situ/world/group.hpp>

using namespace situ;
template <class L>
using OnRanks = Spread<float, L, Ranks<Cpu>>;

#ifdef SITU_CONTROL
auto mistake(const Group<Cpu>&, const OnRanks<Replicated>& r) { return r; }
#else
auto mistake(const Group<Cpu>& group, const OnRanks<Replicated>& r) { return group.all_reduce(r); }
#endif
