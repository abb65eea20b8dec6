// SPDX-License-Identifier: Apache-2.0
// Replicas of a network, without the devices: behind it, or in angle brackets for data_parallel.
// first: (?=.*replicas_need_devices)(?=.*fix_write_them_behind_the_network)
// within: error.*data_parallel_needs_devices::fix_write_them_in_angle_brackets
// lines: 25
#include <situ/device/runtime.hpp>
#include <situ/nn/linear.hpp>
#include <situ/parallel/data_parallel.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const nn::Linear<float>& net) {
  static_cast<void>(replicas(net, gpu<0>, gpu<1>));
  static_cast<void>(data_parallel<Cuda<0>, Cuda<1>>(net));
}
#else
void mistake(const nn::Linear<float>& net) {
  replicas(net);
  data_parallel(net);
}
#endif
