// SPDX-License-Identifier: Apache-2.0
// Every device has all of it.
// first: (?=.*every_device_has_all_of_it)(?=.*fix_leave_it_out_or_call_shard)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Replicated>& r) { return shard<1>(r); }
#else
auto mistake(const On<Replicated>& r) { return reshard<1>(r); }
#endif
