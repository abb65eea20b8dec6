// SPDX-License-Identifier: Apache-2.0
// A checkpoint holds values: the terms of a sum are none.
// first: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/spread_io.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Partial<>>& p) { save("p.safetensors.index.json", "p", all_reduce(p)); }
#else
void mistake(const On<Partial<>>& p) { save("p.safetensors.index.json", "p", p); }
#endif
