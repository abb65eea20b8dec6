// SPDX-License-Identifier: Apache-2.0
// A spread mask in the index of a tensor.
// first: (?=.*a_spread_value_is_on_no_one_device)(?=.*fix_call_gather)
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>
#include <situ/ops/mask.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Spread<bool, Sharded<0>, Cuda<0>, Cuda<1>>& m) { return x(gather(m, cpu)); }
#else
auto mistake(const Tensor<float>& x, const Spread<bool, Sharded<0>, Cuda<0>, Cuda<1>>& m) { return x(m); }
#endif
