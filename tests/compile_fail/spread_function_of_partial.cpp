// SPDX-License-Identifier: Apache-2.0
// exp of a sum that is not summed yet would be applied to the terms.
// kind: a function of a pending sum
// first: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)(?=.*Cuda<1>)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/elementwise.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Partial<>>& p) { return exp(all_reduce(p)); }
#else
auto mistake(const On<Partial<>>& p) { return exp(p); }
#endif
