// SPDX-License-Identifier: Apache-2.0
// A copy from memory of another device that has not given access to its pool: a GPU might lose the bytes, and say nothing.
// sanitizer: none
// expect: cudaErrorInvalidValue: copy_from_peer: source: the pool of device 1 gives device 0 no access
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  int* const to = allocate<int>(1, stream);
  check(api::set_device(1));
  const api::Stream other = make_stream();
  api::MemoryPool pool = nullptr;
  void* from = nullptr;
  check(api::pool_create(&pool, 1));
  check(api::pool_allocate(&from, 4, pool, other));
  check(api::stream_synchronize(other));
  if (!asked_for_mistake(arguments)) check(api::pool_allow_peer(pool, 0));
  check(api::copy_from_peer(to, from, 4, stream));
  check(api::stream_synchronize(stream));
  return 0;
}
