// SPDX-License-Identifier: Apache-2.0
// A shuffle orders the threads of its warp; those of another warp need a barrier.
// sanitizer: thread
// expect: ThreadSanitizer: data race
// expect: missing_barrier_between_warps.cpp
#include "program.hpp"

struct AcrossWarps {
  static constexpr int threads = 64;
  static constexpr const char* name = "across_warps";
  int* out;
  int distance;  // between the thread that reads and the one that wrote
  void operator()() const {
    int* const tile = reinterpret_cast<int*>(kernel::dynamic_shared());
    tile[kernel::thread()] = kernel::thread();
    const int other = kernel::shuffle(kernel::thread() + distance, 0);
    if (kernel::thread() == 31) out[0] = tile[other];
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  const int distance = asked_for_mistake(arguments) ? 32 : 5;
  check(emulated::launch_on(stream, Grid{}, AcrossWarps{allocate<int>(1, stream), distance}, 64 * sizeof(int)));
  check(api::stream_synchronize(stream));
  return 0;
}
