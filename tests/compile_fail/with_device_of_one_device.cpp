// SPDX-License-Identifier: Apache-2.0
// A function for one of the devices that it may be called with, and one without a parameter.
// first: with_device: f does not take every device that this one may be; fix: a generic lambda
// lines: 25
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake() {
  with_device(try_gpu(), [](auto device) { print(ones({3}, device)); });
  with_device(try_gpu(), [](auto) {});
}
#else
void mistake() {
  with_device(try_gpu(), [](Cuda<0> device) { print(ones({3}, device)); });
  with_device(try_gpu(), [] {});
}
#endif
