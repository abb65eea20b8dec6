// SPDX-License-Identifier: Apache-2.0
// Complex numbers in SIMD vectors: a vector of real parts and one of imaginary parts, which are interleaved in memory.
// Not in lanes.hpp; for programs with complex numbers.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <utility>

#include <situ/core/complex_lane.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/shuffle.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

template <class T, ComplexElement U, int Size>
struct LaneRebind<T, U, Size> {
  using type = lane::ComplexLane<Lanes<real_t<U>, Size>>;
};

namespace detail {

/// Every second lane of `low` and `high`, those from `First` on.
template <int First, class R, int... At>
[[SITU_INLINE]] inline R every_second(std::integer_sequence<int, At...>, const R& low, const R& high) {
  return shuffle<(2 * At + First)...>(low, high);
}
/// Lanes of `a` and `b` in turn, those from `First` on.
template <int First, class R, int... At>
[[SITU_INLINE]] inline R in_turn(std::integer_sequence<int, At...>, const R& a, const R& b) {
  constexpr int n = static_cast<int>(sizeof...(At));
  return shuffle<(First + At / 2 + (At % 2 == 0 ? 0 : n))...>(a, b);
}

}  // namespace detail

/// `Size` complex numbers, deinterleaved.
template <class T, int Size>
[[SITU_INLINE]] inline void load_parts_of(const std::complex<T>* from, Lanes<T, Size>& re, Lanes<T, Size>& im) {
  using Register = typename Lanes<T, Size>::Register;
  constexpr int width = LaneLayout<T, Size>::width;
  constexpr auto lanes = std::make_integer_sequence<int, width>{};
  const T* const values = reinterpret_cast<const T*>(from);
  [&]<std::size_t... At>(std::index_sequence<At...>) SITU_INLINE_LAMBDA {
    const auto part = [&](std::size_t at) SITU_INLINE_LAMBDA {
      Register pair[2];
      __builtin_memcpy(pair, values + at * 2 * width, sizeof(pair));
      re.part[at] = detail::every_second<0>(lanes, pair[0], pair[1]);
      im.part[at] = detail::every_second<1>(lanes, pair[0], pair[1]);
    };
    (part(At), ...);
  }(std::make_index_sequence<std::size_t{Lanes<T, Size>::registers}>{});
}

/// The reverse: interleaved to unaligned memory.
template <class T, int Size>
[[SITU_INLINE]] inline void store(std::complex<T>* to, const lane::ComplexLane<Lanes<T, Size>>& x) {
  using Register = typename Lanes<T, Size>::Register;
  constexpr int width = LaneLayout<T, Size>::width;
  constexpr auto lanes = std::make_integer_sequence<int, width>{};
  T* const values = reinterpret_cast<T*>(to);
  [&]<std::size_t... At>(std::index_sequence<At...>) SITU_INLINE_LAMBDA {
    const auto part = [&](std::size_t at) SITU_INLINE_LAMBDA {
      const Register pair[2] = {detail::in_turn<0>(lanes, x.re.part[at], x.im.part[at]),
                                detail::in_turn<width / 2>(lanes, x.re.part[at], x.im.part[at])};
      __builtin_memcpy(values + at * 2 * width, pair, sizeof(pair));
    };
    (part(At), ...);
  }(std::make_index_sequence<std::size_t{Lanes<T, Size>::registers}>{});
}

/// The elements one by one, for a user's functor.
template <int Size, class T>
[[nodiscard]] std::array<std::complex<T>, std::size_t{Size}> elements_of(
    const lane::ComplexLane<Lanes<T, Size>>& lanes) {
  std::array<std::complex<T>, std::size_t{Size}> out;
  store(out.data(), lanes);
  return out;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
