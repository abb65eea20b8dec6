// SPDX-License-Identifier: Apache-2.0
// Conversions of single vector registers. g++ 12 compiles `__builtin_convertvector` between elements of different width
// one element at a time, so those name their instructions here.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/native.hpp>
#include <situ/cpu/shuffle.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::native {

/// Elements `First` to `First + Count` of a register, as a smaller register.
template <int First, int Count, class R>
[[SITU_INLINE]] inline auto slice(R x) {
  if constexpr (Count == width_v<R>) {
    return x;
  } else {
    return [&]<int... At>(std::integer_sequence<int, At...>)
               SITU_INLINE_LAMBDA { return shuffle<(First + At)...>(x, x); }(std::make_integer_sequence<int, Count>{});
  }
}

/// Two registers of one type, one after the other, as one of twice the size. In units of 8 bytes, which g++ recognizes
/// as the insertion of a half.
template <class R>
[[SITU_INLINE]] inline auto join(R a, R b) {
  if constexpr (sizeof(R) >= 16 && sizeof(element_t<R>) < 8) {
    using Units = vector_t<std::int64_t, static_cast<int>(sizeof(R))>;
    return cast<vector_t<element_t<R>, 2 * static_cast<int>(sizeof(R))>>(join(cast<Units>(a), cast<Units>(b)));
  } else {
    return [&]<int... At>(std::integer_sequence<int, At...>)
               SITU_INLINE_LAMBDA { return shuffle<At...>(a, b); }(std::make_integer_sequence<int, 2 * width_v<R>>{});
  }
}

/// A smaller register in one of `Bytes` bytes, followed by zeros.
template <int Bytes, class R>
[[SITU_INLINE]] inline auto padded(R x) {
  if constexpr (sizeof(R) >= Bytes) return x;
  else return padded<Bytes>(join(x, R{}));
}

/// Integers to integers of twice the width, by interleaving with their signs. Little-endian.
template <class U, class R>
[[SITU_INLINE]] inline auto widen_plain(R x) {
  const R high = std::is_signed_v<element_t<R>> ? cast<R>(x < R{}) : R{};
  return [&]<int... At>(std::integer_sequence<int, At...>) SITU_INLINE_LAMBDA {
    return cast<vector_t<U, 2 * static_cast<int>(sizeof(R))>>(shuffle<(At / 2 + (At % 2) * width_v<R>)...>(x, high));
  }(std::make_integer_sequence<int, 2 * width_v<R>>{});
}

/// The lower halves of the elements of two registers. Little-endian.
template <class U, class R>
[[SITU_INLINE]] inline auto narrow_two(R a, R b) {
  using Halves = vector_t<U, static_cast<int>(sizeof(R))>;
  const Halves first = cast<Halves>(a);
  const Halves second = cast<Halves>(b);
  return [&]<int... At>(std::integer_sequence<int, At...>) SITU_INLINE_LAMBDA {
    return shuffle<(2 * At)...>(first, second);
  }(std::make_integer_sequence<int, width_v<Halves>>{});
}

/// Converts each element: `static_cast` where that is defined. The widths differ by a factor of 2 (also bytes to 32
/// bits with AVX2): `convert_all` in convert.hpp takes the steps.
template <class U, class R>
[[SITU_INLINE]] inline auto convert(R x) {
  using T = element_t<R>;
  constexpr int width = width_v<R>;
  using Result = vector_t<U, width* static_cast<int>(sizeof(U))>;
  [[maybe_unused]] constexpr bool is_signed = std::is_signed_v<T>;
  [[maybe_unused]] constexpr bool to_double = std::same_as<U, double>;
  [[maybe_unused]] constexpr bool integers = std::integral<T> && std::integral<U>;
  if constexpr (sizeof(T) == sizeof(U)) {
    return __builtin_convertvector(x, Result);
  } else {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    if constexpr (width == 8 && sizeof(T) == 4 && sizeof(U) == 8) {
      if constexpr (std::same_as<T, float> && to_double)
        return cast<Result>(_mm512_maskz_cvtps_pd(all8, cast<__m256>(x)));
      else if constexpr (std::same_as<T, std::int32_t> && to_double)
        return cast<Result>(_mm512_maskz_cvtepi32_pd(all8, cast<__m256i>(x)));
      else if constexpr (integers && is_signed)
        return cast<Result>(_mm512_maskz_cvtepi32_epi64(all8, cast<__m256i>(x)));
      else if constexpr (integers) return cast<Result>(_mm512_maskz_cvtepu32_epi64(all8, cast<__m256i>(x)));
      else return __builtin_convertvector(x, Result);
    } else if constexpr (width == 8 && std::same_as<T, double> && std::same_as<U, float>) {
      return cast<Result>(_mm512_maskz_cvtpd_ps(all8, cast<__m512d>(x)));
    } else if constexpr (width == 8 && std::same_as<T, double> && std::same_as<U, std::int32_t>) {
      return cast<Result>(_mm512_maskz_cvttpd_epi32(all8, cast<__m512d>(x)));
    } else if constexpr (width == 8 && std::same_as<T, std::int64_t> && std::same_as<U, float>) {
      return cast<Result>(_mm512_maskz_cvtepi64_ps(all8, cast<__m512i>(x)));
    } else if constexpr (width == 16 && integers && sizeof(T) == 2 && sizeof(U) == 4) {
      if constexpr (is_signed) return cast<Result>(_mm512_maskz_cvtepi16_epi32(all16, cast<__m256i>(x)));
      else return cast<Result>(_mm512_maskz_cvtepu16_epi32(all16, cast<__m256i>(x)));
    } else if constexpr (width == 16 && integers && sizeof(T) == 1 && sizeof(U) == 4) {
      if constexpr (is_signed) return cast<Result>(_mm512_maskz_cvtepi8_epi32(all16, cast<__m128i>(x)));
      else return cast<Result>(_mm512_maskz_cvtepu8_epi32(all16, cast<__m128i>(x)));
    } else
#endif
#if defined(__AVX2__)
        if constexpr (width == 4 && sizeof(T) == 4 && sizeof(U) == 8) {
      if constexpr (std::same_as<T, float> && to_double) return cast<Result>(_mm256_cvtps_pd(cast<__m128>(x)));
      else if constexpr (std::same_as<T, std::int32_t> && to_double)
        return cast<Result>(_mm256_cvtepi32_pd(cast<__m128i>(x)));
      else if constexpr (integers && is_signed) return cast<Result>(_mm256_cvtepi32_epi64(cast<__m128i>(x)));
      else if constexpr (integers) return cast<Result>(_mm256_cvtepu32_epi64(cast<__m128i>(x)));
      else return __builtin_convertvector(x, Result);
    } else if constexpr (width == 4 && std::same_as<T, double> && std::same_as<U, float>) {
      return cast<Result>(_mm256_cvtpd_ps(cast<__m256d>(x)));
    } else if constexpr (width == 4 && std::same_as<T, double> && std::same_as<U, std::int32_t>) {
      return cast<Result>(_mm256_cvttpd_epi32(cast<__m256d>(x)));
    } else if constexpr (width == 8 && integers && sizeof(T) == 2 && sizeof(U) == 4) {
      if constexpr (is_signed) return cast<Result>(_mm256_cvtepi16_epi32(cast<__m128i>(x)));
      else return cast<Result>(_mm256_cvtepu16_epi32(cast<__m128i>(x)));
    } else if constexpr (width == 8 && integers && sizeof(T) == 1 && sizeof(U) == 4) {
      if constexpr (is_signed) return cast<Result>(_mm256_cvtepi8_epi32(cast<__m128i>(padded<16>(x))));
      else return cast<Result>(_mm256_cvtepu8_epi32(cast<__m128i>(padded<16>(x))));
    } else if constexpr (width == 16 && integers && sizeof(T) == 1 && sizeof(U) == 2) {
      if constexpr (is_signed) return cast<Result>(_mm256_cvtepi8_epi16(cast<__m128i>(x)));
      else return cast<Result>(_mm256_cvtepu8_epi16(cast<__m128i>(x)));
    } else
#endif
#if defined(__SSE2__)
        if constexpr (width == 2 && std::same_as<T, float> && to_double) {
      return cast<Result>(_mm_cvtps_pd(cast<__m128>(padded<16>(x))));
    } else if constexpr (width == 2 && std::same_as<T, std::int32_t> && to_double) {
      return cast<Result>(_mm_cvtepi32_pd(cast<__m128i>(padded<16>(x))));
    } else if constexpr (width == 2 && std::same_as<T, double> && std::same_as<U, float>) {
      return slice<0, 2>(cast<vector_t<float, 16>>(_mm_cvtpd_ps(cast<__m128d>(x))));
    } else if constexpr (width == 2 && std::same_as<T, double> && std::same_as<U, std::int32_t>) {
      return slice<0, 2>(cast<vector_t<std::int32_t, 16>>(_mm_cvttpd_epi32(cast<__m128d>(x))));
    } else
#endif
        if constexpr (integers && sizeof(U) == 2 * sizeof(T)) {
      return widen_plain<U>(x);
    } else {
      return __builtin_convertvector(x, Result);
    }
  }
}

#if defined(__F16C__)
/// Half precision to float and back, on a register of 4, 8 or 16 floats.
template <class H>
[[SITU_INLINE]] inline auto widen_float16(H half) {
  constexpr int width = width_v<H>;
  using R = vector_t<float, width * 4>;
#if defined(__AVX512F__)
  if constexpr (width == 16) return cast<R>(_mm512_maskz_cvtph_ps(all16, cast<__m256i>(half)));
#endif
  if constexpr (width == 8) return cast<R>(_mm256_cvtph_ps(cast<__m128i>(half)));
  if constexpr (width == 4) return cast<R>(_mm_cvtph_ps(cast<__m128i>(join(half, H{}))));
}

template <class R>
[[SITU_INLINE]] inline auto narrow_float16(R x) {
  constexpr int width = width_v<R>;
  using H = vector_t<std::uint16_t, width * 2>;
#if defined(__AVX512F__)
  if constexpr (width == 16) return cast<H>(_mm512_maskz_cvtps_ph(all16, cast<__m512>(x), _MM_FROUND_TO_NEAREST_INT));
#endif
  if constexpr (width == 8) return cast<H>(_mm256_cvtps_ph(cast<__m256>(x), _MM_FROUND_TO_NEAREST_INT));
  if constexpr (width == 4) {
    return slice<0, 4>(cast<vector_t<std::uint16_t, 16>>(_mm_cvtps_ph(cast<__m128>(x), _MM_FROUND_TO_NEAREST_INT)));
  }
}

/// `Count` registers of floats from `First` on, narrowed into one.
template <std::size_t First, std::size_t Count, class Source>
[[SITU_INLINE]] inline auto narrow_joined(const Source& x) {
  if constexpr (Count == 1) return narrow_float16(x.part[First]);
  else return join(narrow_joined<First, Count / 2>(x), narrow_joined<First + Count / 2, Count / 2>(x));
}
#endif

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::native
