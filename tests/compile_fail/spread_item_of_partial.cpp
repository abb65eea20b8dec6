// SPDX-License-Identifier: Apache-2.0
// The host cannot read a sum that is not summed yet.
// first: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)
// first[clang]: (?=.*deleted)
// within[clang]: (?=.*a_partial_sum_is_not_a_value)(?=.*fix_call_all_reduce)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Spread<float, Partial<>, Cpu, Cuda<1>>& p) { return all_reduce(p).item(); }
#else
auto mistake(const Spread<float, Partial<>, Cpu, Cuda<1>>& p) { return p.item(); }
#endif
