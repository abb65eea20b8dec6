// SPDX-License-Identifier: Apache-2.0
// Pieces beside what every device has in whole.
// first: (?=.*the_operands_do_not_fit)(?=.*see_Reason)(?=.*JoinOfSpreads)(?=.*Sharded<0>)
// within: a_replicated_operand_stands_beside_pieces
// within: fix_call_shard<0>
#include <situ/device/runtime.hpp>
#include <situ/distributed/join.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;

template <class T, class L>
using Over = Spread<T, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Over<float, Sharded<0>>& x, const Over<float, Replicated>& y) { return concat<1>(x, shard<0>(y)); }
#else
auto mistake(const Over<float, Sharded<0>>& x, const Over<float, Replicated>& y) { return concat<1>(x, y); }
#endif
