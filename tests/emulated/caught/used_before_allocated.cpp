// SPDX-License-Identifier: Apache-2.0
// A stream writes memory that another has allocated, and does not wait for it: that one's work before the allocation
// may still be using the bytes, for somebody else. Here it is over.
// sanitizer: address
// expect: AddressSanitizer: use-after-poison
// expect: WRITE of size 128
// expect: situ: 'set_bytes' on cuda:0 (emulated) and the pool_allocate of this memory, in another stream, are in
// off: sanitizer
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream owner = make_stream(), writer = make_stream();
  api::Event allocated = nullptr;
  check(api::event_create(&allocated));
  auto* const x = allocate<float>(32, owner);
  check(api::event_record(allocated, owner));
  static_cast<void>(api::event_query(allocated));  // runs the allocation, and answers that the event has not happened
  if (!asked_for_mistake(arguments)) check(api::stream_wait(writer, allocated));
  check(api::set_bytes(x, 0, 32 * sizeof(float), writer));
  check(api::stream_synchronize(writer));
  return 0;
}
