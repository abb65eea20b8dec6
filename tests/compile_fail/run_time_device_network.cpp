// SPDX-License-Identifier: Apache-2.0
// A network moved to a device that is known at run time only.
// first: (?=.*the_device_is_known_at_run_time_only)(?=.*fix_call_with_device)(?=.*Cuda<0>)
#include <situ/nn.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake() {
  return with_device(try_gpu(), [](auto device) {
    return nn::Sequential{nn::Linear(3, 1)}.to(device).parameter_count();
  });
}
#else
auto mistake() {
  auto net = nn::Sequential{nn::Linear(3, 1)}.to(try_gpu());
  return net.parameter_count();
}
#endif
