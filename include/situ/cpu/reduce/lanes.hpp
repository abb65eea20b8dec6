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

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The lower (0) or the upper (1) half of `x`.
template <int Upper, class T, int Size>
[[SITU_INLINE]] inline Lanes<T, Size / 2> half_of(const Lanes<T, Size>& x) {
  Lanes<T, Size / 2> half;
  if constexpr (Lanes<T, Size>::registers == 1) {
    half.part[0] = native::slice<Upper * Size / 2, Size / 2>(x.part[0]);
  } else {
    constexpr std::size_t count = Lanes<T, Size / 2>::registers;
    [&]<std::size_t... At>(std::index_sequence<At...>)
        SITU_INLINE_LAMBDA { ((half.part[At] = x.part[Upper * count + At]), ...); }(std::make_index_sequence<count>{});
  }
  return half;
}

/// `combine` over all elements, halves first.
template <class Combine, class T, int Size>
[[SITU_INLINE]] inline T combined(Combine combine, const Lanes<T, Size>& x) {
  if constexpr (Size * sizeof(T) > 16) {
    return combined(combine, combine(half_of<0>(x), half_of<1>(x)));
  } else {
    T total = x.part[0][0];
    for (int i = 1; i < Size; ++i) total = combine(total, static_cast<T>(x.part[0][i]));
    return total;
  }
}

/// Zeros and then ones: read from `rest` on, the last `rest` of `Size` elements are ones.
template <class T, int Size>
struct LastElements {
  using Bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, bits_t<T>>;
  alignas(64) static constexpr std::array<Bits, std::size_t{2 * Size}> table = [] {
    std::array<Bits, std::size_t{2 * Size}> ones{};
    for (std::size_t i = Size; i < 2 * Size; ++i) ones[i] = 1;
    return ones;
  }();
};

}  // namespace detail

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
