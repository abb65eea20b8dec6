// SPDX-License-Identifier: Apache-2.0
// A fill in a stream of a device that is not current: CUDA says of copies alone that this may be.
// sanitizer: none
// expect: cudaErrorInvalidResourceHandle: set_bytes: the stream is of device 1, and device 0 is current
#include "program.hpp"

int main(int arguments, char**) {
  check(api::set_device(1));
  const api::Stream stream = make_stream();
  int* const x = allocate<int>(1, stream);
  if (asked_for_mistake(arguments)) check(api::set_device(0));
  check(api::set_bytes(x, 0, sizeof(int), stream));
  check(api::stream_synchronize(stream));
  return 0;
}
