// SPDX-License-Identifier: Apache-2.0
// So would a number.
// first: (?=.*the_left_operand_does_not_fit)(?=.*Partial)(?=.*a_replicated_value_would_be_added_once_per_device)(?=.*fix_call_all_reduce_first)
// first[clang]: (?=.*the_left_operand_does_not_fit)(?=.*Partial)
// within[clang]: (?=.*a_replicated_value_would_be_added_once_per_device)(?=.*fix_call_all_reduce_first)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Partial<>>& p) { return 1 - all_reduce(p); }
#else
auto mistake(const On<Partial<>>& p) { return 1 - p; }
#endif
