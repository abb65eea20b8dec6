// SPDX-License-Identifier: Apache-2.0
// An operation of two spread values whose elements have none such.
// first: (?=.*the_operands_do_not_fit)(?=.*spreads_have_elements_without_the_operation)(?=.*fix_call_cast)
// first[clang]: the_operands_do_not_fit
// within[clang]: (?=.*spreads_have_elements_without_the_operation)(?=.*fix_call_cast)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/select.hpp>

using namespace situ;
using Numbers = Spread<int, Sharded<0>, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const Numbers& a, const Numbers& b) { return atan2(cast<float>(a), cast<float>(b)); }
#else
auto mistake(const Numbers& a, const Numbers& b) { return atan2(a, b); }
#endif
