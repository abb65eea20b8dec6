// SPDX-License-Identifier: Apache-2.0
// Elements of two types.
// first: (?=.*the_operands_do_not_fit)(?=.*elements_of_spreads_differ<float, double>)(?=.*fix_call_cast<float>)
// first[clang]: (?=.*the_operands_do_not_fit)
// within[clang]: (?=.*elements_of_spreads_differ<float, double>)(?=.*fix_call_cast<float>)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/select.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const Spread<double, Sharded<0>, Cuda<0>, Cuda<1>>& d) { return maximum(s, cast<float>(d)); }
#else
auto mistake(const On<Sharded<0>>& s, const Spread<double, Sharded<0>, Cuda<0>, Cuda<1>>& d) { return maximum(s, d); }
#endif
