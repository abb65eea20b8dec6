// SPDX-License-Identifier: Apache-2.0
// A kernel of one device writes memory of another that has not given it access.
// sanitizer: none
// expect: situ: kernel 'set', block 0, thread 0, on cuda:0 (emulated) touched memory of cuda:1 (emulated) without peer access
#include "program.hpp"

struct Set {
  static constexpr int threads = 1;
  static constexpr const char* name = "set";
  int* x;
  void operator()() const { *x = 1; }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  check(api::set_device(1));
  const api::Stream other = make_stream();
  api::MemoryPool pool = nullptr;
  void* memory = nullptr;
  check(api::pool_create(&pool, 1));
  check(api::pool_allocate(&memory, 4, pool, other));
  check(api::stream_synchronize(other));
  if (!asked_for_mistake(arguments)) check(api::pool_allow_peer(pool, 0));
  check(api::set_device(0));
  check(emulated::launch_on(stream, Grid{}, Set{static_cast<int*>(memory)}));
  check(api::stream_synchronize(stream));
  return 0;
}
