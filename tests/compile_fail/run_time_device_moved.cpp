// SPDX-License-Identifier: Apache-2.0
// An expression moved to a device that is known at run time only.
// first: (?=.*the_device_is_known_at_run_time_only)(?=.*fix_call_with_device)(?=.*Cuda<0>)
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return with_device(try_gpu(), [&](auto device) { return (x * x).to(device).to(cpu); });
}
#else
auto mistake(const Tensor<float, Cpu>& x) { return (x * x).to(try_gpu()); }
#endif
