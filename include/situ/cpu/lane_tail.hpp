// SPDX-License-Identifier: Apache-2.0
// The last elements of a row, fewer than a lane: read with padding behind them, and written.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/reduce/lanes.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

template <class C>
using RowLanes = Lanes<C, 16>;
inline constexpr std::int64_t row_lane = 16;

#if defined(__AVX2__) && !defined(__AVX512F__)
/// From 16 - n on, a mask of the first n elements of a lane of `float`.
alignas(64) inline constexpr std::int32_t row_tail_masks[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                                -1, -1, -1, -1, -1, -1, -1, -1};
#endif

/// The last `count` elements of a row, at most a lane, followed by `padding`. Masked if there are instructions for it:
/// a copy on the stack waits for its own stores, which took longer than everything else in a row of 10.
template <class T, class C>
[[SITU_INLINE]] inline RowLanes<C> load_row_tail(const T* from, std::int64_t count, C padding) {
#if defined(__AVX512F__)
  if constexpr (std::same_as<T, float>) {
    RowLanes<C> lanes(padding);
    lanes.part[0] = native::cast<typename RowLanes<C>::Register>(
        _mm512_mask_loadu_ps(native::cast<__m512>(lanes.part[0]), static_cast<__mmask16>((1u << count) - 1), from));
    return lanes;
  } else if constexpr (std::same_as<T, double>) {
    RowLanes<C> lanes(padding);
    const unsigned mask = (1u << count) - 1;
    for (unsigned i = 0; i < 2; ++i) {
      lanes.part[i] = native::cast<typename RowLanes<C>::Register>(_mm512_mask_loadu_pd(
          native::cast<__m512d>(lanes.part[i]), static_cast<__mmask8>(mask >> (8 * i)), from + 8 * i));
    }
    return lanes;
  }
#elif defined(__AVX2__)
  if constexpr (std::same_as<T, float>) {
    RowLanes<C> lanes(padding);
    for (std::int64_t i = 0; i < 2; ++i) {
      const __m256i mask =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row_tail_masks + row_lane - count + 8 * i));
      const __m256 there = _mm256_maskload_ps(from + 8 * i, mask);
      lanes.part[i] = native::cast<typename RowLanes<C>::Register>(
          _mm256_blendv_ps(native::cast<__m256>(lanes.part[i]), there, _mm256_castsi256_ps(mask)));
    }
    return lanes;
  }
#endif
  alignas(64) std::array<C, static_cast<std::size_t>(row_lane)> value;
  value.fill(padding);
  for (std::int64_t i = 0; i < count; ++i) value[static_cast<std::size_t>(i)] = static_cast<C>(from[i]);
  return load<C, 16>(value.data());
}

/// Stores the first `count` elements of a lane, fewer than all: the whole first half if there are as many, then part of
/// the other. (A copy from the stack is a call of `memcpy`; masked stores take as long on some processors with AVX2.)
template <class T, int Size>
[[SITU_INLINE]] inline void store_first(T* to, const Lanes<T, Size>& x, std::int64_t count) {
  if constexpr (Size * sizeof(T) > 16) {
    if (count >= Size / 2) {
      store(to, half_of<0>(x));
      store_first(to + Size / 2, half_of<1>(x), count - Size / 2);
    } else {
      store_first(to, half_of<0>(x), count);
    }
  } else {
    for (int i = 0; i < Size - 1; ++i) {
      if (i < count) to[i] = x.part[0][i];
    }
  }
}

template <class T, class C>
[[SITU_INLINE]] inline void store_row_tail(T* to, RowLanes<C> lanes, std::int64_t count) {
#if defined(__AVX512F__)
  if constexpr (std::same_as<T, float>) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), native::cast<__m512>(lanes.part[0]));
    return;
  } else if constexpr (std::same_as<T, double>) {
    const unsigned mask = (1u << count) - 1;
    for (unsigned i = 0; i < 2; ++i) {
      _mm512_mask_storeu_pd(to + 8 * i, static_cast<__mmask8>(mask >> (8 * i)), native::cast<__m512d>(lanes.part[i]));
    }
    return;
  }
#endif
  if constexpr (std::same_as<T, C>) {
    store_first(to, lanes, count);
  } else {
    alignas(64) std::array<T, static_cast<std::size_t>(row_lane)> value;
    store(value.data(), lanes);
    std::copy_n(value.data(), count, to);
  }
}

/// From 16 - n on, the bits of the first n elements of a lane.
template <class C>
alignas(64) inline constexpr std::array<bits_t<C>, std::size_t{2 * row_lane}> first_elements = [] {
  std::array<bits_t<C>, std::size_t{2 * row_lane}> bits{};
  std::fill_n(bits.begin(), row_lane, static_cast<bits_t<C>>(-1));
  return bits;
}();

/// The first `count` elements of a lane, followed by `padding`.
template <class C>
[[SITU_INLINE]] inline RowLanes<C> pad_row(RowLanes<C> x, std::int64_t count, C padding) {
  using Bits = bits_t<C>;
  const auto first = load<Bits, 16>(first_elements<C>.data() + (row_lane - count));
  return select(first != Lanes<Bits, 16>(Bits(0)), x, RowLanes<C>(padding));
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
