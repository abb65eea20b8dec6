// SPDX-License-Identifier: Apache-2.0
// shard is told where to.
// first: (?=.*the_call_names_no_devices)(?=.*fix_write_them_behind_the_tensor)
#include <situ/device/runtime.hpp>
#include <situ/distributed/place.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) { return shard<0>(x, gpu<0>, gpu<1>); }
#else
auto mistake(const Tensor<float>& x) { return shard<0>(x); }
#endif
