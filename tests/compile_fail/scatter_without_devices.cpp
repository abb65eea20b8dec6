// SPDX-License-Identifier: Apache-2.0
// scatter: to where?
// kind: a call that names no devices
// first: (?=.*the_call_names_no_devices)(?=.*fix_name_them_as_in_scatter_Cuda_0_Cuda_1)
#include <situ/device/runtime.hpp>
#include <situ/distributed/scatter.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Pinned>& batch) { return scatter<Cuda<0>, Cuda<1>>(batch); }
#else
auto mistake(const Tensor<float, Pinned>& batch) { return scatter(batch); }
#endif
