// SPDX-License-Identifier: Apache-2.0
// A spread value sent to a stream, as a tensor is.
// first: (?=.*streams_take_no_spread_value)(?=.*fix_call_print_or_to_string)
#include <iostream>

#include <situ/device/runtime.hpp>
#include <situ/distributed/print.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
void mistake(const On<Sharded<0>>& s) { std::cout << to_string(s); }
#else
void mistake(const On<Sharded<0>>& s) { std::cout << s; }
#endif
