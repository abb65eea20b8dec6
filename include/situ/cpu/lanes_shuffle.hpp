// SPDX-License-Identifier: Apache-2.0
// Elements of two registers in any order, as another register.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/cpu/lanes_native.hpp>

namespace situ::cpu::native {

/// The elements `From` of `a` followed by `b`, as a register of `sizeof...(From)` elements:
/// `shuffle<0, 4, 1, 5>(a, b)` is a0 b0 a1 b1 for registers of 4.
///
/// Not `__builtin_shufflevector(a, b, From...)`: the front end of nvcc 13 drops the `...` of a pack there. g++ and
/// clang++ make the same instructions from a list of elements, at -O1 too.
template <int... From, class R>
[[gnu::always_inline]] inline auto shuffle(R a, R b) {
  constexpr int width = width_v<R>;
  using Result = vector_t<element_t<R>, static_cast<int>(sizeof...(From) * sizeof(element_t<R>))>;
  return Result{(From < width ? a[From % width] : b[From % width])...};
}

/// Two registers, one after the other, as one of twice the size. In units of 8 bytes, where g++ sees one insertion.
template <class R>
[[gnu::always_inline]] inline auto join(R a, R b) {
  using Result = vector_t<element_t<R>, 2 * static_cast<int>(sizeof(R))>;
  if constexpr (sizeof(R) >= 16) {
    using Units = vector_t<std::int64_t, static_cast<int>(sizeof(R))>;
    const auto joined = [&]<int... At>(std::integer_sequence<int, At...>) __attribute__((always_inline)) {
      return shuffle<At...>(cast<Units>(a), cast<Units>(b));
    }(std::make_integer_sequence<int, 2 * width_v<Units>>{});
    return cast<Result>(joined);
  } else {
    return [&]<int... At>(std::integer_sequence<int, At...>) __attribute__((always_inline)) {
      return shuffle<At...>(a, b);
    }(std::make_integer_sequence<int, 2 * width_v<R>>{});
  }
}

}  // namespace situ::cpu::native
