// SPDX-License-Identifier: Apache-2.0
// A launch by the runtime into a stream of a device that is not current.
// sanitizer: none
// expect: cudaErrorInvalidResourceHandle: launch: the stream is of device 1, and device 0 is current
#include "program.hpp"

struct Set {
  static constexpr int threads = 1;
  static constexpr const char* name = "set";
  int* x;
  void operator()() const { *x = 1; }
};

int main(int arguments, char**) {
  check(api::set_device(1));
  const api::Stream stream = make_stream();
  int* const x = allocate<int>(1, stream);
  if (asked_for_mistake(arguments)) check(api::set_device(0));
  check(emulated::launch_on(stream, Grid{}, Set{x}));
  check(api::stream_synchronize(stream));
  return 0;
}
