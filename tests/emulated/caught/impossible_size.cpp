// SPDX-License-Identifier: Apache-2.0
// A size that no device has, asked for by who knows only one error of allocations.
// sanitizer: none
// expect: cudaErrorInvalidValue: pool_allocate: no device has 1125899906842624 bytes, which CUDA may call invalid
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  const std::size_t much = std::size_t{1} << (asked_for_mistake(arguments) ? 50 : 35);
  api::MemoryPool pool = nullptr;
  void* memory = nullptr;
  check(api::pool_create(&pool, 0));
  const api::Error error = api::pool_allocate(&memory, much, pool, stream);
  if (error != api::out_of_memory) check(error);
  return 0;
}
