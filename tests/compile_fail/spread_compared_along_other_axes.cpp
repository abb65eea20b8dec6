// SPDX-License-Identifier: Apache-2.0
// The guards of == stand in the base.
// first: (?=.*the_operands_do_not_fit)(?=.*Sharded<0>)(?=.*operands_are_sharded_on_different_axes<0, 1>)(?=.*fix_call_reshard<0>)
// first[clang]: (?=.*the_operands_do_not_fit)(?=.*Sharded<0>)
// within[clang]: (?=.*operands_are_sharded_on_different_axes<0, 1>)(?=.*fix_call_reshard<0>)
#include <situ/device/runtime.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/elementwise.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const On<Sharded<1>>& t) { return s == reshard<0>(t); }
#else
auto mistake(const On<Sharded<0>>& s, const On<Sharded<1>>& t) { return s == t; }
#endif
