// SPDX-License-Identifier: Apache-2.0
// A kernel reads memory of another device from a pool that gives it no access, beside one that does.
// sanitizer: none
// expect: situ: kernel 'copy', block 0, thread 0, on cuda:0 (emulated) touched memory of cuda:1 (emulated) without peer access
#include "program.hpp"

struct Copy {
  static constexpr int threads = 1;
  static constexpr const char* name = "copy";
  const int* from;
  int* to;
  void operator()() const { *to = *from; }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  int* const to = allocate<int>(1, stream);
  check(api::set_device(1));
  const api::Stream other = make_stream();
  api::MemoryPool pools[2] = {};
  void* memory[2] = {};
  for (int i = 0; i < 2; ++i) {
    check(api::pool_create(&pools[i], 1));
    check(api::pool_allocate(&memory[i], 4, pools[i], other));
  }
  check(api::stream_synchronize(other));
  check(api::pool_allow_peer(pools[0], 0));
  check(api::set_device(0));
  check(emulated::launch_on(stream, Grid{}, Copy{static_cast<int*>(memory[asked_for_mistake(arguments) ? 1 : 0]), to}));
  check(api::stream_synchronize(stream));
  return 0;
}
