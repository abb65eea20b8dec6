// SPDX-License-Identifier: Apache-2.0
// A mask in the index of a spread value.
// first: (?=.*masks_of_spread_values_select_nothing)(?=.*fix_call_where_or_gather)
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>
#include <situ/ops/mask.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const Spread<bool, Sharded<0>, Cuda<0>, Cuda<1>>& m) { return gather(s, cpu)(gather(m, cpu)); }
#else
auto mistake(const On<Sharded<0>>& s, const Spread<bool, Sharded<0>, Cuda<0>, Cuda<1>>& m) { return s(m); }
#endif
