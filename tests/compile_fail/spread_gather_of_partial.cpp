// SPDX-License-Identifier: Apache-2.0
// A sum that is not summed yet cannot be sent as a whole.
// first: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Partial<>>& p) { return gather(all_reduce(p), cpu); }
#else
auto mistake(const On<Partial<>>& p) { return gather(p, cpu); }
#endif
