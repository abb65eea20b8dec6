// SPDX-License-Identifier: Apache-2.0
// No data moves without a name.
// kind: another layout assigned
// first: (?=.*assigning_moves_no_data)(?=.*fix_call_all_reduce)(?=.*Replicated)
// first[clang]: (?=.*invokes a deleted function)
// within[clang]: (?=.*assigning_moves_no_data)(?=.*fix_call_all_reduce)(?=.*Replicated)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Partial<>>& p) { return On<Replicated>(all_reduce(p)); }
#else
auto mistake(const On<Partial<>>& p) { On<Replicated> r = p; return r; }
#endif
