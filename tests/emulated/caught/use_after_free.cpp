// SPDX-License-Identifier: Apache-2.0
// A kernel reads memory that was given back in its stream before.
// sanitizer: address
// expect: AddressSanitizer: use-after-poison
// expect: READ of size 4
// expect: situ: this happened in kernel 'copy', block 0, thread 0, on cuda:0 (emulated)
#include "program.hpp"

struct Copy {
  static constexpr int threads = 32;
  static constexpr const char* name = "copy";
  const float* from;
  float* to;
  void operator()() const { to[kernel::thread()] = from[kernel::thread()]; }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const from = allocate<float>(32, stream);
  auto* const to = allocate<float>(32, stream);
  const bool mistake = asked_for_mistake(arguments);
  if (mistake) check(api::pool_free(from, stream));
  check(emulated::launch_on(stream, Grid{}, Copy{from, to}));
  if (!mistake) check(api::pool_free(from, stream));
  check(api::stream_synchronize(stream));
  return 0;
}
