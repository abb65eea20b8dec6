// SPDX-License-Identifier: Apache-2.0
// A function for `with_device` that gives another type for each device.
// kind: results of a type for each device
// first: with_device: f gives another type for each device; return a tensor of one device, .to\(cpu\), or nothing
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float, Cpu> mistake(const Tensor<float, Cpu>& x) {
  return with_device(try_gpu(), [&](auto device) { return x.to(device).to(cpu); });
}
#else
Tensor<float, Cpu> mistake(const Tensor<float, Cpu>& x) {
  return with_device(try_gpu(), [&](auto device) { return x.to(device); });
}
#endif
