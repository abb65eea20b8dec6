// SPDX-License-Identifier: Apache-2.0
// Rows on one device wanted by indices on another.
// first: (?=.*the_indices_do_not_fit)(?=.*see_Reason)(?=.*Sharded<0>)
// within: indices_do_not_go_with_the_table
// within: fix_call_all_gather
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/take.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<0>>& table, const Over<int64_t, Sharded<0>>& ids) {
  return take<0>(table, all_gather(ids));
}
#else
auto mistake(const Over<float, Sharded<0>>& table, const Over<int64_t, Sharded<0>>& ids) { return take<0>(table, ids); }
#endif
