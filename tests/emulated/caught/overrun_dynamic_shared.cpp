// SPDX-License-Identifier: Apache-2.0
// A launch asks for less shared memory than its kernel uses.
// sanitizer: address
// expect: AddressSanitizer: heap-buffer-overflow
// expect: overrun_dynamic_shared.cpp
// expect: situ: this happened in kernel 'reverse', block 0, thread 63, on cuda:0 (emulated)
#include "program.hpp"

struct Reverse {
  static constexpr int threads = 64;
  static constexpr const char* name = "reverse";
  int* x;
  void operator()() const {
    int* const tile = reinterpret_cast<int*>(kernel::dynamic_shared());
    tile[kernel::thread()] = kernel::thread();
    kernel::barrier();
    x[kernel::thread()] = tile[threads - 1 - kernel::thread()];
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  const std::size_t elements = asked_for_mistake(arguments) ? 63 : 64;
  check(emulated::launch_on(stream, Grid{}, Reverse{allocate<int>(64, stream)}, elements * sizeof(int)));
  check(api::stream_synchronize(stream));
  return 0;
}
