// SPDX-License-Identifier: Apache-2.0
// A kernel writes one element beyond an array in shared memory.
// sanitizer: address
// expect: AddressSanitizer: heap-buffer-overflow
// expect: WRITE of size 4
// expect: overrun_shared.cpp
// expect: situ: this happened in kernel 'histogram', block 0, thread 20, on cuda:0 (emulated)
#include "program.hpp"

struct Histogram {
  static constexpr int threads = 64;
  static constexpr const char* name = "histogram";
  int bins;
  void operator()() const {
    struct Counts {
      int of_bin[20];
    };
    auto& counts = kernel::block_shared<Counts>();
    int* const volatile first = counts.of_bin;  // so that the compiler does not see the end of the array
    if (kernel::thread() < bins) first[kernel::thread()] = 0;
    kernel::barrier();
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  check(emulated::launch_on(stream, Grid{}, Histogram{asked_for_mistake(arguments) ? 21 : 20}));
  check(api::stream_synchronize(stream));
  return 0;
}
