// SPDX-License-Identifier: Apache-2.0
// What is on several devices is gathered.
// first: (?=.*a_spread_value_is_on_no_one_device)(?=.*fix_call_gather)
// first[clang]: (?=.*deleted)
// within[clang]: (?=.*a_spread_value_is_on_no_one_device)(?=.*fix_call_gather)
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s) { return gather(s, cpu); }
#else
auto mistake(const On<Sharded<0>>& s) { return s.to(cpu); }
#endif
