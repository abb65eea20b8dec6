// SPDX-License-Identifier: Apache-2.0
// bool has no sum.
// first: (?=.*elements_have_no_sum)(?=.*fix_call_cast)(?=.*bool)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Partial<>>& p, const Spread<bool, Partial<>, Cuda<0>, Cuda<1>>& b) { return all_reduce(p); }
#else
auto mistake(const On<Partial<>>& p, const Spread<bool, Partial<>, Cuda<0>, Cuda<1>>& b) { return all_reduce(b); }
#endif
