// SPDX-License-Identifier: Apache-2.0
// The axis decides the layout of the result.
// first: (?=.*axes_of_a_spread_value_are_template_arguments)(?=.*fix_write_them_in_angle_brackets)
#include <situ/device/runtime.hpp>
#include <situ/distributed/reduce.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s) { return sum<1>(s); }
#else
auto mistake(const On<Sharded<0>>& s) { return sum(s, 1); }
#endif
