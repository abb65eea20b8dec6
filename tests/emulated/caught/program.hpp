// SPDX-License-Identifier: Apache-2.0
// For the programs in this folder: calls that must succeed, and which of the two programs in one this is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/runtime/launch.hpp>

namespace api = situ::internal::cuda::api;
namespace emulated = situ::internal::cuda::emulated;
namespace kernel = situ::internal::cuda::kernel;
using situ::internal::cuda::Grid;

/// A call that must succeed; else the program says what was wrong and ends.
inline void check(api::Error error) {
  if (error == api::success) return;
  std::fprintf(stderr, "%s: %s\n", api::error_name(error), emulated::last_message().c_str());
  std::exit(1);
}

inline api::Stream make_stream() {
  api::Stream stream = nullptr;
  check(api::stream_create(&stream));
  return stream;
}

/// Memory of the current device for `count` elements.
template <class T>
T* allocate(std::size_t count, api::Stream stream) {
  int device = 0;
  api::MemoryPool pool = nullptr;
  void* memory = nullptr;
  check(api::get_device(&device));
  check(api::pool_create(&pool, device));
  check(api::pool_allocate(&memory, count * sizeof(T), pool, stream));
  return static_cast<T*>(memory);
}

template <class T>
T* allocate_pinned(std::size_t count) {
  void* memory = nullptr;
  check(api::host_allocate(&memory, count * sizeof(T)));
  return static_cast<T*>(memory);
}

/// Whether the program was asked to make its mistake.
inline bool asked_for_mistake(int arguments) { return arguments > 1; }

/// For mistakes that nothing reports but the result.
inline int compare(double got, double expected) {
  if (got == expected) return 0;
  std::fprintf(stderr, "wrong answer: %g instead of %g\n", got, expected);
  return 1;
}
