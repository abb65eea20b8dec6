// SPDX-License-Identifier: Apache-2.0
// A tensor made on a device that is known at run time only.
// kind: a device that is known at run time only
// first: (?=.*the_device_is_known_at_run_time_only)(?=.*fix_call_with_device)(?=.*Cuda<0>)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake() {
  with_device(try_gpu(), [](auto device) { print(ones<float>({2, 3}, device)); });
}
#else
void mistake() {
  Tensor x = ones<float>({2, 3}, try_gpu());
  print(x);
}
#endif
