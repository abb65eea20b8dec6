// SPDX-License-Identifier: Apache-2.0
// Conversions between lanes of different element types, masks included, and the tests `any` and `all`.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/lanes/native_convert.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace native {

/// Registers `First` to `First + Count` of `x`, each converted to U, in one register.
template <class U, std::size_t First, std::size_t Count, class Source>
[[SITU_INLINE]] inline auto convert_joined(const Source& x) {
  using T = element_t<typename Source::Register>;
  if constexpr (Count == 1) {
    return convert<U>(x.part[First]);
  } else if constexpr (Count == 2 && vector_bytes < 64 && std::integral<T> && std::integral<U> &&
                       sizeof(T) == 2 * sizeof(U)) {
    return narrow_two<U>(x.part[First], x.part[First + 1]);
  } else {
    return join(convert_joined<U, First, Count / 2>(x), convert_joined<U, First + Count / 2, Count / 2>(x));
  }
}

/// Part `J` of the result: a slice of one register converted, or several registers converted and joined.
template <class Result, class U, std::size_t J, class Source>
[[SITU_INLINE]] inline auto convert_part(const Source& x) {
  constexpr std::size_t from = Source::registers;
  constexpr std::size_t to = Result::registers;
  if constexpr (to >= from) {
    constexpr int width = Result::count / Result::registers;
    constexpr int first = static_cast<int>(J % (to / from)) * width;
    return convert<U>(slice<first, width>(x.part[J / (to / from)]));
  } else {
    return convert_joined<U, J*(from / to), from / to>(x);
  }
}

template <class Result, class U, class Source, std::size_t... J>
[[SITU_INLINE]] inline Result convert_parts(std::index_sequence<J...>, const Source& x) {
  Result result;
  ((result.part[J] = cast<typename Result::Register>(convert_part<Result, U, J>(x))), ...);
  return result;
}

/// The intermediate type for converting T to U; U itself for a single step. `int64` to `float` is a single step,
/// because it must round once.
template <class T, class U>
constexpr auto next_step() {
  constexpr std::size_t from = sizeof(T);
  constexpr std::size_t to = sizeof(U);
#if defined(__AVX2__)
  constexpr bool bytes_to_words = true;
#else
  constexpr bool bytes_to_words = false;
#endif
  if constexpr (std::integral<T> && from < 4 && (std::floating_point<U> || to == 8)) {
    return std::int32_t{};
  } else if constexpr (std::integral<T> && from == 1 && to == 4 && !bytes_to_words) {
    return std::int16_t{};
  } else if constexpr (std::integral<T> && std::integral<U> && vector_bytes < 64 && from >= 4 * to) {
    return bits_t<std::conditional_t<from == 8, std::int32_t, std::int16_t>>{};
  } else if constexpr (std::same_as<T, float> && std::integral<U> && to == 8) {
    return double{};
  } else {
    return U{};
  }
}

/// Converts all registers, however many each of the two types needs. For floats to integers the values must fit.
template <class Result, class U, class Source>
[[SITU_INLINE]] inline Result convert_all(const Source& x) {
  using T = element_t<typename Source::Register>;
  using Step = decltype(next_step<T, U>());
  if constexpr (!std::same_as<Step, U> && sizeof(T) != sizeof(U)) {
    return convert_all<Result, U>(convert_all<Lanes<Step, Result::count>, Step>(x));
  } else {
    return convert_parts<Result, U>(std::make_index_sequence<Result::registers>{}, x);
  }
}

}  // namespace native

template <class T, int Size>
template <class U>
[[SITU_INLINE]] inline Mask<T, Size>::Mask(const Mask<U, Size>& other) {
  if constexpr (sizeof(T) == sizeof(U)) {
    *this = native::zip<Mask>([](auto x) SITU_INLINE_LAMBDA { return native::cast<Register>(x); }, other);
  } else {
    *this = native::convert_all<Mask, Integer>(other);
  }
}

/// A mask as wide as `U`.
template <class U, class T, int Size>
[[SITU_INLINE]] inline Mask<U, Size> mask_cast(Mask<T, Size> mask) {
  return Mask<U, Size>(mask);
}

/// Each element converted as the scalar `convert` does: floats to integers saturate with NaN giving 0, integers wrap.
/// `convert<bool>` gives a `Mask`.
template <class U, class T, int Size>
[[SITU_INLINE]] inline rebind_lane_t<Lanes<T, Size>, U> convert(Lanes<T, Size> x) {
  if constexpr (std::same_as<U, T>) {
    return x;
  } else if constexpr (std::same_as<U, bool>) {
    return x != Lanes<T, Size>(T(0));
  } else if constexpr (std::floating_point<T> && std::integral<U>) {
    if constexpr (sizeof(U) < 4) {  // no instruction: through int32, whose range includes that of U
      using Wide = Lanes<std::int32_t, Size>;
      constexpr std::int32_t low = std::numeric_limits<U>::min();
      constexpr std::int32_t high = std::numeric_limits<U>::max();
      return convert<U>(max_number(min_number(convert<std::int32_t>(x), Wide(high)), Wide(low)));
    } else {
      using Result = Lanes<U, Size>;
      constexpr T low = static_cast<T>(std::numeric_limits<U>::min());
      constexpr T beyond = T(2) * static_cast<T>(std::numeric_limits<U>::max() / 2 + 1);
      Result result = native::convert_all<Result, U>(x);
      result = select(x <= Lanes<T, Size>(low), Result(std::numeric_limits<U>::min()), result);
      result = select(x >= Lanes<T, Size>(beyond), Result(std::numeric_limits<U>::max()), result);
      return select(x == x, result, Result(U(0)));
    }
  } else {
    return native::convert_all<Lanes<U, Size>, U>(x);
  }
}

/// 1 where the mask is true, 0 elsewhere.
template <class U, class T, int Size>
[[SITU_INLINE]] inline rebind_lane_t<Mask<T, Size>, U> convert(Mask<T, Size> mask) {
  if constexpr (std::same_as<U, bool>) return mask;
  else return select(mask, Lanes<U, Size>(U(1)), Lanes<U, Size>(U(0)));
}

/// `convert` for floats known to be in the range of U: without handling the others, which give arbitrary numbers.
template <class U, class T, int Size>
  requires(std::floating_point<T> && std::integral<U>)
[[SITU_INLINE]] inline Lanes<U, Size> convert_exact(Lanes<T, Size> x) {
  return native::convert_all<Lanes<U, Size>, U>(x);
}

/// Whether any element of the mask is true.
template <class T, int Size>
[[SITU_INLINE]] inline bool any(Mask<T, Size> mask) {
  using Register = typename Mask<T, Size>::Register;
  Register seen{};
  [&]<std::size_t... At>(std::index_sequence<At...>)
      SITU_INLINE_LAMBDA { ((seen |= mask.part[At]), ...); }(std::make_index_sequence<Mask<T, Size>::registers>{});
  return native::any(seen);
}

/// Whether all elements of the mask are true.
template <class T, int Size>
[[SITU_INLINE]] inline bool all(Mask<T, Size> mask) {
  return !any(!mask);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
