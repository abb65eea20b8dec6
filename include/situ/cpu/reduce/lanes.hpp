// SPDX-License-Identifier: Apache-2.0
// From lanes to fewer lanes and to one value, and the masks of a row's last elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/lanes/native_convert.hpp>

namespace situ::internal::cpu {

namespace detail {

/// The lower (0) or the upper (1) half of `x`.
template <int Upper, class T, int N>
[[SITU_INLINE]] inline Lanes<T, N / 2> half_of(const Lanes<T, N>& x) {
  Lanes<T, N / 2> half;
  if constexpr (Lanes<T, N>::registers == 1) {
    half.part[0] = native::slice<Upper * N / 2, N / 2>(x.part[0]);
  } else {
    constexpr std::size_t count = Lanes<T, N / 2>::registers;
    [&]<std::size_t... At>(std::index_sequence<At...>) SITU_INLINE_LAMBDA {
      ((half.part[At] = x.part[Upper * count + At]), ...);
    }(std::make_index_sequence<count>{});
  }
  return half;
}

/// `combine` over all elements, halves first.
template <class Combine, class T, int N>
[[SITU_INLINE]] inline T combined(Combine combine, const Lanes<T, N>& x) {
  if constexpr (N * sizeof(T) > 16) {
    return combined(combine, combine(half_of<0>(x), half_of<1>(x)));
  } else {
    T total = x.part[0][0];
    for (int i = 1; i < N; ++i) total = combine(total, static_cast<T>(x.part[0][i]));
    return total;
  }
}

/// Zeros and then ones: read from `rest` on, the last `rest` of N elements are ones.
template <class T, int N>
struct LastElements {
  using Bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, bits_t<T>>;
  alignas(64) static constexpr std::array<Bits, std::size_t{2 * N}> table = [] {
    std::array<Bits, std::size_t{2 * N}> ones{};
    for (std::size_t i = N; i < 2 * N; ++i) ones[i] = 1;
    return ones;
  }();
};

}  // namespace detail

}  // namespace situ::internal::cpu
