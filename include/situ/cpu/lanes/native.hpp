// SPDX-License-Identifier: Apache-2.0
// Single vector registers: the types, and the operations that need an instruction of their own.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/intrinsics.hpp>

/// Intrinsics are used where GCC and Clang have no portable spelling (square root, fma, rounding, half conversion).
/// Eigen's packet functions would also work; they cost 1.2 s of compile time and give the same instructions. On other
/// machines every function has a version in plain vector operations or element by element.
namespace situ::internal::inline SITU_SETTINGS::cpu::native {

template <class T, int Bytes>
struct Vector {
  typedef T type __attribute__((vector_size(Bytes)));
};

/// A register of `Bytes` bytes of elements `T`.
template <class T, int Bytes>
using vector_t = typename Vector<T, Bytes>::type;

template <class R>
using element_t = std::remove_cvref_t<decltype(std::declval<R&>()[0])>;

template <class R>
inline constexpr int width_v = static_cast<int>(sizeof(R) / sizeof(element_t<R>));

/// The same bytes as another register type.
template <class To, class From>
[[SITU_INLINE]] inline To cast(From x) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<To>(x);
}

template <class R, class F>
[[SITU_INLINE]] inline R each(F f) {
  R result{};
  for (int i = 0; i < width_v<R>; ++i) result[i] = f(i);
  return result;
}

/// All elements equal. A float is not added to zero, which would lose the sign of -0: the compiler folds `value - 0`.
template <class R>
[[SITU_INLINE]] inline R broadcast(element_t<R> value) {
  if constexpr (std::is_floating_point_v<element_t<R>>) return value - R{};
  else return R{} + value;
}

#if defined(__AVX512F__)
/// Full masks: the forms without a mask make g++ 12 warn about an uninitialized variable in its own header.
inline constexpr __mmask16 all16 = 0xffff;
inline constexpr __mmask8 all8 = 0xff;
#endif

template <class R>
[[SITU_INLINE]] inline R sqrt(R x) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<R, vector_t<float, 64>>) return cast<R>(_mm512_maskz_sqrt_ps(all16, cast<__m512>(x)));
  if constexpr (std::is_same_v<R, vector_t<double, 64>>) return cast<R>(_mm512_maskz_sqrt_pd(all8, cast<__m512d>(x)));
#endif
#if defined(__AVX__)
  if constexpr (std::is_same_v<R, vector_t<float, 32>>) return cast<R>(_mm256_sqrt_ps(cast<__m256>(x)));
  if constexpr (std::is_same_v<R, vector_t<double, 32>>) return cast<R>(_mm256_sqrt_pd(cast<__m256d>(x)));
#endif
#if defined(__SSE2__)
  if constexpr (std::is_same_v<R, vector_t<float, 16>>) return cast<R>(_mm_sqrt_ps(cast<__m128>(x)));
  if constexpr (std::is_same_v<R, vector_t<double, 16>>) return cast<R>(_mm_sqrt_pd(cast<__m128d>(x)));
#endif
  return each<R>([&](int i) { return lane::sqrt(static_cast<element_t<R>>(x[i])); });
}

template <class R>
[[SITU_INLINE]] inline R fma(R a, R b, R c) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<R, vector_t<float, 64>>)
    return cast<R>(_mm512_fmadd_ps(cast<__m512>(a), cast<__m512>(b), cast<__m512>(c)));
  if constexpr (std::is_same_v<R, vector_t<double, 64>>)
    return cast<R>(_mm512_fmadd_pd(cast<__m512d>(a), cast<__m512d>(b), cast<__m512d>(c)));
#endif
#if defined(__FMA__)
  if constexpr (std::is_same_v<R, vector_t<float, 32>>)
    return cast<R>(_mm256_fmadd_ps(cast<__m256>(a), cast<__m256>(b), cast<__m256>(c)));
  if constexpr (std::is_same_v<R, vector_t<double, 32>>)
    return cast<R>(_mm256_fmadd_pd(cast<__m256d>(a), cast<__m256d>(b), cast<__m256d>(c)));
  if constexpr (std::is_same_v<R, vector_t<float, 16>>)
    return cast<R>(_mm_fmadd_ps(cast<__m128>(a), cast<__m128>(b), cast<__m128>(c)));
  if constexpr (std::is_same_v<R, vector_t<double, 16>>)
    return cast<R>(_mm_fmadd_pd(cast<__m128d>(a), cast<__m128d>(b), cast<__m128d>(c)));
#endif
  using T = element_t<R>;
  return each<R>([&](int i) { return lane::fma(static_cast<T>(a[i]), static_cast<T>(b[i]), static_cast<T>(c[i])); });
}

/// `a * b + c`, for floats rounded once if the processor supports that. If left to the compiler, the result depends on
/// the surrounding code: GCC uses two instructions in some chains of sums, and one in others, when it tunes for AMD's
/// Zen.
template <class R>
[[SITU_INLINE]] inline R mul_add(R a, R b, R c) {
  if constexpr (has_fast_fma && std::is_floating_point_v<element_t<R>>) return fma(a, b, c);
  else return a * b + c;
}

/// `a < b ? a : b` element by element: the hardware's minimum.
template <class R>
[[SITU_INLINE]] inline R min(R a, R b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<R, vector_t<float, 64>>)
    return cast<R>(_mm512_maskz_min_ps(all16, cast<__m512>(a), cast<__m512>(b)));
  if constexpr (std::is_same_v<R, vector_t<double, 64>>)
    return cast<R>(_mm512_maskz_min_pd(all8, cast<__m512d>(a), cast<__m512d>(b)));
#endif
#if defined(__AVX__)
  if constexpr (std::is_same_v<R, vector_t<float, 32>>) return cast<R>(_mm256_min_ps(cast<__m256>(a), cast<__m256>(b)));
  if constexpr (std::is_same_v<R, vector_t<double, 32>>)
    return cast<R>(_mm256_min_pd(cast<__m256d>(a), cast<__m256d>(b)));
#endif
#if defined(__SSE2__)
  if constexpr (std::is_same_v<R, vector_t<float, 16>>) return cast<R>(_mm_min_ps(cast<__m128>(a), cast<__m128>(b)));
  if constexpr (std::is_same_v<R, vector_t<double, 16>>) return cast<R>(_mm_min_pd(cast<__m128d>(a), cast<__m128d>(b)));
#endif
  return a < b ? a : b;
}

/// `a > b ? a : b` element by element: the hardware's maximum.
template <class R>
[[SITU_INLINE]] inline R max(R a, R b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<R, vector_t<float, 64>>)
    return cast<R>(_mm512_maskz_max_ps(all16, cast<__m512>(a), cast<__m512>(b)));
  if constexpr (std::is_same_v<R, vector_t<double, 64>>)
    return cast<R>(_mm512_maskz_max_pd(all8, cast<__m512d>(a), cast<__m512d>(b)));
#endif
#if defined(__AVX__)
  if constexpr (std::is_same_v<R, vector_t<float, 32>>) return cast<R>(_mm256_max_ps(cast<__m256>(a), cast<__m256>(b)));
  if constexpr (std::is_same_v<R, vector_t<double, 32>>)
    return cast<R>(_mm256_max_pd(cast<__m256d>(a), cast<__m256d>(b)));
#endif
#if defined(__SSE2__)
  if constexpr (std::is_same_v<R, vector_t<float, 16>>) return cast<R>(_mm_max_ps(cast<__m128>(a), cast<__m128>(b)));
  if constexpr (std::is_same_v<R, vector_t<double, 16>>) return cast<R>(_mm_max_pd(cast<__m128d>(a), cast<__m128d>(b)));
#endif
  return a > b ? a : b;
}

template <class R>
using bits_vector_t = vector_t<bits_t<element_t<R>>, static_cast<int>(sizeof(R))>;

template <class R>
[[SITU_INLINE]] inline R copy_sign(R x, R sign) {
  using B = bits_vector_t<R>;
  using Bits = bits_t<element_t<R>>;
  const B rest = broadcast<B>(std::numeric_limits<Bits>::max());
  return cast<R>((cast<B>(x) & rest) | (cast<B>(sign) & ~rest));
}

/// The nearest even integer by adding and subtracting 2^23 or 2^52: for machines without an instruction for it.
template <class R>
[[SITU_INLINE]] inline R round_even_plain(R x) {
  using T = element_t<R>;
  const R large = broadcast<R>(std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52));
  const R magnitude = copy_sign(x, R{});
  const R rounded = (magnitude + large) - large;
  return magnitude < large ? copy_sign(rounded, x) : x;
}

/// `Mode` is the immediate of the rounding instructions: 0 nearest even, 1 down, 2 up, 3 towards zero.
template <int Mode, class R>
[[SITU_INLINE]] inline R round(R x) {
  [[maybe_unused]] constexpr int quiet = Mode | 8;
#if defined(__AVX512F__)
// Without optimization these are macros in g++, and the conversions in them count as ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
  if constexpr (std::is_same_v<R, vector_t<float, 64>>)
    return cast<R>(_mm512_maskz_roundscale_ps(all16, cast<__m512>(x), quiet));
  if constexpr (std::is_same_v<R, vector_t<double, 64>>)
    return cast<R>(_mm512_maskz_roundscale_pd(all8, cast<__m512d>(x), quiet));
#pragma GCC diagnostic pop
#endif
#if defined(__AVX__)
  if constexpr (std::is_same_v<R, vector_t<float, 32>>) return cast<R>(_mm256_round_ps(cast<__m256>(x), quiet));
  if constexpr (std::is_same_v<R, vector_t<double, 32>>) return cast<R>(_mm256_round_pd(cast<__m256d>(x), quiet));
#endif
#if defined(__SSE4_1__)
  if constexpr (std::is_same_v<R, vector_t<float, 16>>) return cast<R>(_mm_round_ps(cast<__m128>(x), quiet));
  if constexpr (std::is_same_v<R, vector_t<double, 16>>) return cast<R>(_mm_round_pd(cast<__m128d>(x), quiet));
#endif
  using T = element_t<R>;
  const R one = broadcast<R>(T(1));
  if constexpr (Mode == 0) {
    return round_even_plain(x);
  } else if constexpr (Mode == 1) {
    const R nearest = round_even_plain(x);
    return copy_sign(nearest > x ? nearest - one : nearest, x);
  } else if constexpr (Mode == 2) {
    const R nearest = round_even_plain(x);
    return copy_sign(nearest < x ? nearest + one : nearest, x);
  } else {
    const R magnitude = copy_sign(x, R{});
    const R nearest = round_even_plain(magnitude);
    return copy_sign(nearest > magnitude ? nearest - one : nearest, x);
  }
}

#if defined(__AVX512F__)
/// x * 2^floor(n), rounded once.
template <class R>
[[SITU_INLINE]] inline R scale_by_power(R x, R n) {
  if constexpr (std::is_same_v<element_t<R>, float>)
    return cast<R>(_mm512_maskz_scalef_ps(all16, cast<__m512>(x), cast<__m512>(n)));
  else return cast<R>(_mm512_maskz_scalef_pd(all8, cast<__m512d>(x), cast<__m512d>(n)));
}
#endif

/// Stores a register to an address aligned to its size, past the cache if the machine supports that.
template <class R>
[[SITU_INLINE]] inline void stream(void* to, R x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(R) == 64) return _mm512_stream_si512(static_cast<__m512i*>(to), cast<__m512i>(x));
#endif
#if defined(__AVX__)
  if constexpr (sizeof(R) == 32) return _mm256_stream_si256(static_cast<__m256i*>(to), cast<__m256i>(x));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(R) == 16) return _mm_stream_si128(static_cast<__m128i*>(to), cast<__m128i>(x));
#endif
  __builtin_memcpy(to, &x, sizeof(R));
}

/// Whether any bit is set.
template <class R>
[[SITU_INLINE]] inline bool any(R x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(R) == 64) return _mm512_test_epi64_mask(cast<__m512i>(x), cast<__m512i>(x)) != 0;
#endif
#if defined(__AVX__)
  if constexpr (sizeof(R) == 32) return _mm256_testz_si256(cast<__m256i>(x), cast<__m256i>(x)) == 0;
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(R) == 16) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(cast<__m128i>(x), _mm_setzero_si128())) != 0xffff;
  }
#endif
  bool seen = false;
  for (int i = 0; i < width_v<R>; ++i) seen = seen || x[i] != 0;
  return seen;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::native
