// SPDX-License-Identifier: Apache-2.0
// A pool with CUDA's default attributes: a copy stream gets the memory that the computing stream is about to free, and
// its copy waits for the kernels before.
// sanitizer: none
// expect: wrong answer: 1 instead of 0
#include "program.hpp"

int main(int arguments, char**) {
  const api::Stream computes = make_stream(), copies = make_stream();
  api::MemoryPool pool = nullptr;
  void *freed = nullptr, *copied = nullptr;
  check(api::pool_create(&pool, 0));
  emulated::set_internal_dependencies(pool, asked_for_mistake(arguments));
  check(api::pool_allocate(&freed, 4096, pool, computes));
  int kernels = 0;
  check(emulated::enqueue(computes, "kernel", [&kernels] { ++kernels; }));
  check(api::pool_free(freed, computes));
  check(api::pool_allocate(&copied, 4096, pool, copies));
  check(api::copy_to_device(copied, allocate_pinned<int>(1), sizeof(int), copies));
  check(api::stream_synchronize(copies));
  return compare(kernels, 0);
}
