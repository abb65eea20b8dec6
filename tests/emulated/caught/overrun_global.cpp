// SPDX-License-Identifier: Apache-2.0
// A kernel writes one element beyond the bytes that may be used of a block that has room for more.
// sanitizer: address
// expect: AddressSanitizer: use-after-poison
// expect: WRITE of size 4
// expect: overrun_global.cpp
// expect: situ: this happened in kernel 'fill', block 0, thread 33, on cuda:0 (emulated)
#include "program.hpp"

struct Fill {
  static constexpr int threads = 64;
  static constexpr const char* name = "fill";
  float* x;
  int count;
  void operator()() const {
    if (kernel::thread() < count) x[kernel::thread()] = 1.f;
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const x = allocate<float>(1024, stream);
  api::note_allocated(x, 33 * sizeof(float), 1024 * sizeof(float), stream);
  check(emulated::launch_on(stream, Grid{}, Fill{x, asked_for_mistake(arguments) ? 34 : 33}));
  check(api::stream_synchronize(stream));
  return 0;
}
