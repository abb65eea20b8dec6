// SPDX-License-Identifier: Apache-2.0
// Copies of rows so short that a call would take most of the time.
#pragma once

#include <cstdint>

#include <situ/core/config.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// `f.operator()<Size>(i)` for runs of `Size` elements, from `i` on, that together cover [0, count): vectors, the last
/// two of which may overlap.
template <class T, int Size = vector_bytes / static_cast<int>(sizeof(T)), class F>
[[SITU_INLINE]] inline void for_short_row(std::int64_t count, const F& f) {
  if (count >= Size) {
    for (std::int64_t i = 0; i + Size < count; i += Size) f.template operator()<Size>(i);
    f.template operator()<Size>(count - Size);
  } else if constexpr (Size > 1) {
    for_short_row<T, Size / 2>(count, f);
  }
}

template <class T>
[[SITU_INLINE]] inline void copy_row(const T* from, std::int64_t count, T* to) {
  for_short_row<T>(count, [=]<int Size>(std::int64_t i)
                              SITU_INLINE_LAMBDA { __builtin_memcpy(to + i, from + i, Size * sizeof(T)); });
}

/// Writes 0.
template <class T>
[[SITU_INLINE]] inline void clear_row(std::int64_t count, T* to) {
  for_short_row<T>(count,
                   [=]<int Size>(std::int64_t i) SITU_INLINE_LAMBDA { __builtin_memset(to + i, 0, Size * sizeof(T)); });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
