// SPDX-License-Identifier: Apache-2.0
// A launch by the driver in a thread that has called nothing of CUDA, with a driver that wants a context to be current.
// sanitizer: none
// expect: cudaErrorDeviceUninitialized: launch: a driver of CUDA 12 wants the context of device 0 to be current
#include <thread>

#include "program.hpp"

struct Set {
  static constexpr int threads = 1;
  static constexpr const char* name = "set";
  int* x;
  void operator()() const { *x = 1; }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  int* const x = allocate<int>(1, stream);
  if (asked_for_mistake(arguments)) emulated::machine().driver_version = 12080;
  std::thread([&] { check(emulated::launch_on(stream, Grid{}, Set{x}, 0, emulated::LaunchedBy::driver)); }).join();
  check(api::stream_synchronize(stream));
  return 0;
}
