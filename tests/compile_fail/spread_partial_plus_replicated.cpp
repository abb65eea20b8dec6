// SPDX-License-Identifier: Apache-2.0
// What every device has would be added once per device.
// kind: a replicated value beside a pending sum
// first: (?=.*the_operands_do_not_fit)(?=.*Partial)(?=.*a_replicated_value_would_be_added_once_per_device)(?=.*fix_call_all_reduce_first)
// first[clang]: (?=.*the_operands_do_not_fit)(?=.*Partial)
// within[clang]: (?=.*a_replicated_value_would_be_added_once_per_device)(?=.*fix_call_all_reduce_first)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Partial<>>& p, const On<Replicated>& r) { return all_reduce(p) + r; }
#else
auto mistake(const On<Partial<>>& p, const On<Replicated>& r) { return p + r; }
#endif
