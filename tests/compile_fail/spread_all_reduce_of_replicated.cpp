// SPDX-License-Identifier: Apache-2.0
// There is nothing to add up.
// first: (?=.*a_replicated_value_is_summed_already)(?=.*fix_leave_out_the_reduction)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Replicated>& r) { return r; }
#else
auto mistake(const On<Replicated>& r) { return all_reduce(r); }
#endif
