// SPDX-License-Identifier: Apache-2.0
// What every device has would be another on each.
// first: (?=.*the_operand_cannot_be_taken_in_place)(?=.*the_operand_would_change_the_layout)(?=.*fix_write_z_equals_x_plus_y)
// first[clang]: (?=.*the_operand_cannot_be_taken_in_place)
// within[clang]: (?=.*the_operand_would_change_the_layout)(?=.*fix_write_z_equals_x_plus_y)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/compound_assignment.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(On<Replicated> r, const On<Sharded<0>>& s) { return Spread(r + s); }
#else
auto mistake(On<Replicated> r, const On<Sharded<0>>& s) { r += s; return r; }
#endif
