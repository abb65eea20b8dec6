// SPDX-License-Identifier: Apache-2.0
// Copies of rows so short that a call would be most of the time.
#pragma once

#include <cstdint>

#include <situ/core/config.hpp>

namespace situ::internal::cpu::detail {

/// `f.operator()<N>(i)` for runs of N elements, from `i` on, that together are [0, count): vectors, of which the last
/// two may overlap.
template <class T, int N = vector_bytes / static_cast<int>(sizeof(T)), class F>
[[SITU_INLINE]] inline void for_short_row(std::int64_t count, const F& f) {
  if (count >= N) {
    for (std::int64_t i = 0; i + N <= count; i += N) f.template operator()<N>(i);
    f.template operator()<N>(count - N);
  } else if constexpr (N > 1) {
    for_short_row<T, N / 2>(count, f);
  }
}

template <class T>
[[SITU_INLINE]] inline void copy_row(const T* from, std::int64_t count, T* to) {
  for_short_row<T>(count, [=]<int N>(std::int64_t i) SITU_INLINE_LAMBDA {
    __builtin_memcpy(to + i, from + i, N * sizeof(T));
  });
}

/// Writes 0.
template <class T>
[[SITU_INLINE]] inline void clear_row(std::int64_t count, T* to) {
  for_short_row<T>(count, [=]<int N>(std::int64_t i) SITU_INLINE_LAMBDA {
    __builtin_memset(to + i, 0, N * sizeof(T));
  });
}

}  // namespace situ::internal::cpu::detail
