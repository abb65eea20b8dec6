// SPDX-License-Identifier: Apache-2.0
// One stream reads what another writes, without waiting for it: wrong every time, as streams run as late as they may.
// sanitizer: none
// expect: wrong answer: 0 instead of 7
#include "program.hpp"

struct Set {
  static constexpr int threads = 1;
  static constexpr const char* name = "set";
  int* x;
  void operator()() const { *x = 7; }
};

int main(int arguments, char**) {
  const api::Stream writes = make_stream(), reads = make_stream();
  api::Event written = nullptr;
  check(api::event_create(&written));
  auto* const x = allocate<int>(1, writes);
  check(api::set_bytes(x, 0, sizeof(int), writes));
  check(api::stream_synchronize(writes));
  check(emulated::launch_on(writes, Grid{}, Set{x}));
  check(api::event_record(written, writes));
  if (!asked_for_mistake(arguments)) check(api::stream_wait(reads, written));
  auto* const host = allocate_pinned<int>(1);
  check(api::copy_to_host(host, x, sizeof(int), reads));
  check(api::stream_synchronize(reads));
  return compare(*host, 7);
}
