// SPDX-License-Identifier: Apache-2.0
// A thread reads what another writes, without a barrier between.
// sanitizer: thread
// expect: ThreadSanitizer: data race
// expect: missing_barrier.cpp
#include "program.hpp"

struct Neighbour {
  static constexpr int threads = 64;
  static constexpr const char* name = "neighbour";
  int* out;
  bool mistake;
  void operator()() const {
    struct Tile {
      int value[threads];
    };
    auto& tile = kernel::block_shared<Tile>();
    tile.value[kernel::thread()] = kernel::thread();
    if (!mistake) kernel::barrier();
    out[kernel::block() * threads + kernel::thread()] = tile.value[kernel::thread() ^ 1];
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  check(emulated::launch_on(stream, Grid{2, 1}, Neighbour{allocate<int>(128, stream), asked_for_mistake(arguments)}));
  check(api::stream_synchronize(stream));
  return 0;
}
