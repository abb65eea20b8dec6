// SPDX-License-Identifier: Apache-2.0
// exp of integers, of which there are some on each device.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*int)
#include <situ/device/runtime.hpp>
#include <situ/distributed/select.hpp>
#include <situ/distributed/elementwise.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Spread<int, Sharded<0>, Cuda<0>, Cuda<1>>& n) { return exp(cast<float>(n)); }
#else
auto mistake(const Spread<int, Sharded<0>, Cuda<0>, Cuda<1>>& n) { return exp(n); }
#endif
