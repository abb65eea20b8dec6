// SPDX-License-Identifier: Apache-2.0
// The host writes pinned memory that a copy has not read yet.
// sanitizer: none
// expect: wrong answer: 2 instead of 1
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const x = allocate<int>(1, stream);
  auto* const host = allocate_pinned<int>(1);
  *host = 1;
  check(api::copy_to_device(x, host, sizeof(int), stream));
  if (!asked_for_mistake(arguments)) check(api::stream_synchronize(stream));
  *host = 2;
  check(api::stream_synchronize(stream));
  check(api::copy_to_host(host, x, sizeof(int), stream));
  check(api::stream_synchronize(stream));
  return compare(*host, 1);
}
