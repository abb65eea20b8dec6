// SPDX-License-Identifier: Apache-2.0
// The host reads device memory.
// sanitizer: none
// expect: situ: the host touched memory of cuda:0 (emulated): use .to<Cpu>(), or launch_on for a kernel
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const x = allocate<int>(1, stream);
  check(api::set_bytes(x, 0, sizeof(int), stream));
  check(api::stream_synchronize(stream));
  if (asked_for_mistake(arguments)) return *static_cast<volatile int*>(x);
  auto* const host = allocate_pinned<int>(1);
  check(api::copy_to_host(host, x, sizeof(int), stream));
  check(api::stream_synchronize(stream));
  return *host;
}
