// SPDX-License-Identifier: Apache-2.0
// Blocks of one launch add to one number, and not by an atomic operation. Here, where blocks run one after the other,
// the sum is right; on a GPU it is not.
// sanitizer: thread
// expect: ThreadSanitizer: data race
// expect: race_between_blocks.cpp
// off: sanitizer
#include "program.hpp"

struct Count {
  static constexpr int threads = 32;
  static constexpr const char* name = "count";
  int* sum;
  bool mistake;
  void operator()() const {
    if (kernel::thread() > 0) return;
    if (mistake) *sum += 1;
    else kernel::atomic_add(sum, 1);
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const sum = allocate<int>(1, stream);
  auto* const host = allocate_pinned<int>(1);
  check(api::set_bytes(sum, 0, sizeof(int), stream));
  check(emulated::launch_on(stream, Grid{8, 1}, Count{sum, asked_for_mistake(arguments)}));
  check(api::copy_to_host(host, sum, sizeof(int), stream));
  check(api::stream_synchronize(stream));
  return compare(*host, 8);
}
