// SPDX-License-Identifier: Apache-2.0
// broadcast: to where?
// first: (?=.*the_call_names_no_devices)(?=.*fix_name_them_as_in_broadcast_Cuda_0_Cuda_1)
#include <situ/device/runtime.hpp>
#include <situ/distributed/scatter.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& weights) { return broadcast<Cuda<0>, Cuda<1>>(weights); }
#else
auto mistake(const Tensor<float>& weights) { return broadcast(weights); }
#endif
