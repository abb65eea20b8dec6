// SPDX-License-Identifier: Apache-2.0
// The variance of terms is no term of the variance.
// first: (?=.*the_axis_is_cut)(?=.*fix_call_all_gather_or_reshard)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/reduce.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s) { return var<0>(all_gather(s)); }
#else
auto mistake(const On<Sharded<0>>& s) { return var<0>(s); }
#endif
