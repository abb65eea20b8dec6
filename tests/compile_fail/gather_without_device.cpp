// SPDX-License-Identifier: Apache-2.0
// gather of parts: to where?
// first: (?=.*the_call_names_no_devices)(?=.*fix_name_it_as_in_gather_Cuda_0)
#include <situ/device/runtime.hpp>
#include <situ/distributed/scatter.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& batch) { return gather<Cpu>(scatter<Cuda<0>, Cuda<1>>(batch)); }
#else
auto mistake(const Tensor<float>& batch) { return gather(scatter<Cuda<0>, Cuda<1>>(batch)); }
#endif
