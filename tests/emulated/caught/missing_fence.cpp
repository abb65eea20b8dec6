// SPDX-License-Identifier: Apache-2.0
// The last block of a launch adds what the others have written. A ticket says which is the last, but only a fence
// before it makes what a block wrote seen by who takes a later ticket.
// sanitizer: thread
// expect: ThreadSanitizer: data race
// expect: missing_fence.cpp
// off: sanitizer
#include "program.hpp"

struct SumOfBlocks {
  static constexpr int threads = 32;
  static constexpr const char* name = "sum_of_blocks";
  int* parts;
  unsigned* ticket;
  bool mistake;
  void operator()() const {
    if (kernel::thread() > 0) return;
    const auto blocks = static_cast<unsigned>(kernel::blocks());
    parts[kernel::block()] = static_cast<int>(kernel::block());
    if (!mistake) kernel::memory_fence();
    if (kernel::atomic_add(ticket, 1u) != blocks - 1) return;
    kernel::memory_fence();
    int sum = 0;
    for (unsigned b = 0; b < blocks; ++b) sum += parts[b];
    parts[0] = sum;
  }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const parts = allocate<int>(8, stream);
  auto* const ticket = allocate<unsigned>(1, stream);
  auto* const host = allocate_pinned<int>(1);
  check(api::set_bytes(ticket, 0, sizeof(unsigned), stream));
  check(emulated::launch_on(stream, Grid{8, 1}, SumOfBlocks{parts, ticket, asked_for_mistake(arguments)}));
  check(api::copy_to_host(host, parts, sizeof(int), stream));
  check(api::stream_synchronize(stream));
  return compare(*host, 28);
}
