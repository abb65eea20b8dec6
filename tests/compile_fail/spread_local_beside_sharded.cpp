// SPDX-License-Identifier: Apache-2.0
// A value of each device is no piece of a whole.
// first: (?=.*the_operands_do_not_fit)(?=.*a_local_value_is_no_part_of_a_whole)(?=.*fix_say_by_as_what_it_is)
// first[clang]: (?=.*the_operands_do_not_fit)
// within[clang]: (?=.*a_local_value_is_no_part_of_a_whole)(?=.*fix_say_by_as_what_it_is)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const On<Local>& l) { return s / std::apply([](const auto&... part) { return as<Sharded<0>>(part...); }, local(l)); }
#else
auto mistake(const On<Sharded<0>>& s, const On<Local>& l) { return s / l; }
#endif
