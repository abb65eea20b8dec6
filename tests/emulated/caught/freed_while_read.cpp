// SPDX-License-Identifier: Apache-2.0
// A stream gives memory back that a kernel in another stream reads, and does not wait for that. Here the kernel runs
// before; on a GPU it may run after.
// sanitizer: address
// expect: AddressSanitizer: use-after-poison
// expect: READ of size 4
// expect: situ: 'copy' on cuda:0 (emulated) and the pool_free of this memory, in another stream, are in no order
// expect: situ: this happened in kernel 'copy', block 0, thread 0, on cuda:0 (emulated)
// off: sanitizer
#include "program.hpp"

struct Copy {
  static constexpr int threads = 32;
  static constexpr const char* name = "copy";
  const float* from;
  float* to;
  void operator()() const { to[kernel::thread()] = from[kernel::thread()]; }
};

int main(int arguments, char**) {
  const api::Stream owner = make_stream(), reader = make_stream();
  api::Event written = nullptr, read = nullptr;
  check(api::event_create(&written));
  check(api::event_create(&read));
  auto* const from = allocate<float>(32, owner);
  auto* const to = allocate<float>(32, reader);
  check(api::set_bytes(from, 0, 32 * sizeof(float), owner));
  check(api::event_record(written, owner));
  check(api::stream_wait(reader, written));
  check(emulated::launch_on(reader, Grid{}, Copy{from, to}));
  check(api::event_record(read, reader));
  if (!asked_for_mistake(arguments)) check(api::stream_wait(owner, read));
  check(api::pool_free(from, owner));
  check(api::stream_synchronize(reader));
  check(api::stream_synchronize(owner));
  return 0;
}
