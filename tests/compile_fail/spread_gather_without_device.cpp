// SPDX-License-Identifier: Apache-2.0
// gather is told where to.
// first: (?=.*the_call_names_no_device)(?=.*fix_write_it_behind_the_value)
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s) { return gather(s, gpu<0>); }
#else
auto mistake(const On<Sharded<0>>& s) { return gather(s); }
#endif
