// SPDX-License-Identifier: Apache-2.0
// The same devices in another order are other places.
// first: (?=.*the_operands_do_not_fit)(?=.*Cuda<0>)(?=.*spreads_live_on_different_devices)(?=.*fix_spread_both_over_the_same)(?=.*DeviceMesh<situ::Cuda<1>, situ::Cuda<0>>?)
// first[clang]: (?=.*the_operands_do_not_fit)(?=.*Cuda<0>)
// within[clang]: (?=.*spreads_live_on_different_devices)(?=.*fix_spread_both_over_the_same)(?=.*DeviceMesh<situ::Cuda<1>, situ::Cuda<0>>?)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const On<Replicated>& r, const Spread<float, Replicated, Cuda<1>, Cuda<0>>& q) { return s * r; }
#else
auto mistake(const On<Sharded<0>>& s, const On<Replicated>& r, const Spread<float, Replicated, Cuda<1>, Cuda<0>>& q) { return s * q; }
#endif
