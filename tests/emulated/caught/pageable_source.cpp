// SPDX-License-Identifier: Apache-2.0
// An asynchronous copy is given memory that is not pinned.
// sanitizer: none
// expect: cudaErrorInvalidValue: copy_to_device: source: the host memory is pageable
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const x = allocate<int>(1, stream);
  int pageable = 1;
  check(
      api::copy_to_device(x, asked_for_mistake(arguments) ? &pageable : allocate_pinned<int>(1), sizeof(int), stream));
  check(api::stream_synchronize(stream));
  return 0;
}
