// SPDX-License-Identifier: Apache-2.0
// A thread leaves the kernel while the others of its block wait for it: this would hang or go wrong on a GPU.
// sanitizer: none
// expect: cudaErrorLaunchFailure: kernel 'tail', block 1, thread 0 waits at barrier (divergent_barrier.cpp:
// expect: , but thread 36 has left the kernel
#include "program.hpp"

struct Tail {
  static constexpr int threads = 64;
  static constexpr const char* name = "tail";
  int* x;
  int count;
  void operator()() const {
    const auto i = static_cast<int>(kernel::block()) * threads + kernel::thread();
    if (i >= count) return;
    x[i] = i;
    kernel::barrier();
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  const int count = asked_for_mistake(arguments) ? 100 : 128;
  check(emulated::launch_on(stream, Grid{2, 1}, Tail{allocate<int>(128, stream), count}));
  check(api::stream_synchronize(stream));
  return 0;
}
