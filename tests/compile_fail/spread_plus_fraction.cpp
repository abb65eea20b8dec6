// SPDX-License-Identifier: Apache-2.0
// A fraction beside integers, of which there are some on each device.
// first: (?=.*the_operands_do_not_fit)(?=.*the_number_does_not_fit_elements_of_the_spread)(?=.*fix_cast_one_of_them)
// first[clang]: the_operands_do_not_fit
// within[clang]: (?=.*the_number_does_not_fit_elements_of_the_spread)(?=.*fix_cast_one_of_them)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/select.hpp>

using namespace situ;
using Numbers = Spread<int, Sharded<0>, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Numbers& n) { return cast<double>(n) + 0.5; }
#else
auto mistake(const Numbers& n) { return n + 0.5; }
#endif
