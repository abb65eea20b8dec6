// SPDX-License-Identifier: Apache-2.0
// A copy reads a block that its pool has taken back, though the device has not.
// sanitizer: address
// expect: AddressSanitizer: use-after-poison
// expect: READ of size 128
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const x = allocate<float>(128, stream);
  auto* const host = allocate_pinned<float>(32);
  api::note_allocated(x, 128, 512, stream);
  if (asked_for_mistake(arguments)) api::note_freed(x, 512, stream);
  check(api::copy_to_host(host, x, 128, stream));
  check(api::stream_synchronize(stream));
  check(api::host_free(host));
  return 0;
}
