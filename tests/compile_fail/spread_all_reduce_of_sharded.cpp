// SPDX-License-Identifier: Apache-2.0
// Pieces are put together, not added.
// first: (?=.*a_sharded_value_is_no_sum)(?=.*fix_call_all_gather)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s) { return all_gather(s); }
#else
auto mistake(const On<Sharded<0>>& s) { return all_reduce(s); }
#endif
