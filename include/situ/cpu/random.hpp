// SPDX-License-Identifier: Apache-2.0
// `fill_random`: many elements of a random distribution at once, in the vector registers of the CPU.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/philox.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/shuffle.hpp>
#include <situ/formula/random.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// A register of 64-bit lanes, each of which computes one counter. Only the lower half of a lane matters: the
/// multiplication ignores the upper half, so the rounds may leave anything there. A layout with 32-bit lanes needs
/// twice as many instructions, as the products of all lanes do not fit in a register.
using CounterRegister = native::vector_t<std::uint64_t, vector_bytes>;
inline constexpr int counters_per_register = vector_bytes / 8;

/// The 64-bit products of the lower halves. (`_mm512_mul_epu32` itself makes g++ 12 warn about its own header.)
[[SITU_INLINE]] inline CounterRegister multiply_lower(CounterRegister a, CounterRegister b) {
#if defined(__AVX512F__)
  if constexpr (vector_bytes == 64)
    return native::cast<CounterRegister>(
        _mm512_maskz_mul_epu32(0xff, native::cast<__m512i>(a), native::cast<__m512i>(b)));
#endif
#if defined(__AVX2__)
  if constexpr (vector_bytes == 32)
    return native::cast<CounterRegister>(_mm256_mul_epu32(native::cast<__m256i>(a), native::cast<__m256i>(b)));
#endif
#if defined(__SSE2__)
  if constexpr (vector_bytes == 16)
    return native::cast<CounterRegister>(_mm_mul_epu32(native::cast<__m128i>(a), native::cast<__m128i>(b)));
#endif
  constexpr std::uint64_t half = 0xffffffff;
  return (a & half) * (b & half);
}

/// How the words of a run of blocks are stored: 64-bit cell b of `even` and `odd` belongs to block b. For elements of
/// one word, `even` holds words 0 and 2, `odd` words 1 and 3. For elements of two words, `even` holds words 0 and 1,
/// `odd` 2 and 3. In both cases the elements alternate between the two arrays.
inline constexpr int tile_blocks = 64;
struct WordTile {
  alignas(64) std::uint64_t even[tile_blocks];
  alignas(64) std::uint64_t odd[tile_blocks];
};

/// The words of `tile_blocks` blocks from `first` on.
template <int WordsPerElement>
inline void philox_tile(const RandomStream& stream, std::uint64_t first, WordTile& tile) {
  using R = CounterRegister;
  const R multiplier0 = R{} + PhiloxConstants::multiplier0, multiplier1 = R{} + PhiloxConstants::multiplier1;
  R lane_index{};
  for (int i = 0; i < counters_per_register; ++i) lane_index[i] = static_cast<std::uint64_t>(i);
  for (int block = 0; block < tile_blocks; block += counters_per_register) {
    const R index = (R{} + (first + static_cast<std::uint64_t>(block))) + lane_index;
    R c0 = index, c1 = index >> 32;
    R c2 = R{} + stream.draw, c3 = R{} + (stream.draw >> 32);
    auto key0 = static_cast<std::uint32_t>(stream.seed), key1 = static_cast<std::uint32_t>(stream.seed >> 32);
    for (int round = 0; round < PhiloxConstants::rounds; ++round) {
      const R product0 = multiply_lower(multiplier0, c0), product1 = multiply_lower(multiplier1, c2);
      c0 = (product1 >> 32) ^ c1 ^ (R{} + key0);
      c1 = product1;
      c2 = (product0 >> 32) ^ c3 ^ (R{} + key1);
      c3 = product0;
      key0 += PhiloxConstants::weyl0;
      key1 += PhiloxConstants::weyl1;
    }
    constexpr std::uint64_t half = 0xffffffff;
    const R even = (c0 & half) | ((WordsPerElement == 1 ? c2 : c1) << 32);
    const R odd = ((WordsPerElement == 1 ? c1 : c2) & half) | (c3 << 32);
    std::memcpy(tile.even + block, &even, sizeof(R));
    std::memcpy(tile.odd + block, &odd, sizeof(R));
  }
}

/// Two lanes' elements in turn: a0 b0 a1 b1 ..., the first half and the second.
template <class T, int Size>
[[SITU_INLINE]] inline std::pair<Lanes<T, Size>, Lanes<T, Size>> interleave(Lanes<T, Size> a, Lanes<T, Size> b) {
  using L = Lanes<T, Size>;
  constexpr int width = LaneLayout<T, Size>::width;
  L result[2];
  [&]<int... At>(std::integer_sequence<int, At...>) SITU_INLINE_LAMBDA {
    for (int r = 0; r < L::registers; ++r) {
      const int to = 2 * r;
      result[to / L::registers].part[to % L::registers] = shuffle<(At / 2 + (At % 2) * width)...>(a.part[r], b.part[r]);
      result[(to + 1) / L::registers].part[(to + 1) % L::registers] =
          shuffle<(width / 2 + At / 2 + (At % 2) * width)...>(a.part[r], b.part[r]);
    }
  }(std::make_integer_sequence<int, width>{});
  return {result[0], result[1]};
}

inline constexpr int narrow_lanes = 16;
inline constexpr int wide_lanes = 16;

// From lanes of words to elements. Each is the vector form of the distribution's `operator()`, bit for bit.

template <class T>
[[SITU_INLINE]] inline auto uniform_lanes(Lanes<std::int32_t, narrow_lanes> words) {
  constexpr int digits = distribution::Uniform<T>::digits;
  return convert<float>(shift_right_logical(words, 32 - digits)) *
         Lanes<float, narrow_lanes>(1.0f / static_cast<float>(1 << digits));
}

/// 53 bits as a double, without an instruction that converts 64-bit integers: the upper 21 and the lower 32 become the
/// fractions of 2^84 and 2^52; all steps are exact.
[[SITU_INLINE]] inline Lanes<double, wide_lanes> uniform_lanes(Lanes<std::int64_t, wide_lanes> words) {
  using Integers = Lanes<std::int64_t, wide_lanes>;
  using D = Lanes<double, wide_lanes>;
  const Integers bits = shift_right_logical(words, 11);
  const D upper = from_bits<double>(shift_right_logical(bits, 32) | Integers(0x4530000000000000)) - D(0x1p84);
  const D lower = from_bits<double>((bits & Integers(0xffffffff)) | Integers(0x4330000000000000)) - D(0x1p52);
  return (upper + lower) * D(0x1p-53);
}

/// The upper halves of the 128-bit products with a range below 2^32.
[[SITU_INLINE]] inline Lanes<std::int64_t, wide_lanes> multiply_high_short(Lanes<std::int64_t, wide_lanes> words,
                                                                           std::uint64_t range) {
  using L = Lanes<std::int64_t, wide_lanes>;
  const CounterRegister factor = CounterRegister{} + range;
  return native::zip<L>(
      [&](auto x) SITU_INLINE_LAMBDA {
        const auto word = CounterRegister(x);
        const CounterRegister carry = multiply_lower(word, factor) >> 32;
        return typename L::Register((multiply_lower(word >> 32, factor) + carry) >> 32);
      },
      words);
}

/// Calls `put(offset, first lanes of int32 or int64, second)` for all the words of a tile.
template <class Lane, class Put>
[[SITU_INLINE]] inline void for_words(const WordTile& tile, Put put) {
  using T = lane_element_t<Lane>;
  constexpr int count = lane_count_v<Lane>;
  constexpr int total = tile_blocks * 8 / static_cast<int>(sizeof(T));
  for (int i = 0; i < total; i += count) {
    const std::size_t offset = static_cast<std::size_t>(i) * sizeof(T);
    put(2 * i, native::load_plain<T, count>(reinterpret_cast<const char*>(tile.even) + offset),
        native::load_plain<T, count>(reinterpret_cast<const char*>(tile.odd) + offset));
  }
}

using NarrowWords = Lanes<std::int32_t, narrow_lanes>;
using WideWords = Lanes<std::int64_t, wide_lanes>;

template <class T>
inline void transform_tile(const distribution::Uniform<T>&, const WordTile& tile, T* out) {
  if constexpr (distribution::Uniform<T>::words == 2) {
    for_words<WideWords>(tile, [&](int at, WideWords even, WideWords odd) SITU_INLINE_LAMBDA {
      const auto [first, second] = interleave(uniform_lanes(even), uniform_lanes(odd));
      store(out + at, first);
      store(out + at + wide_lanes, second);
    });
  } else {
    for_words<NarrowWords>(tile, [&](int at, NarrowWords even, NarrowWords odd) SITU_INLINE_LAMBDA {
      const auto [first, second] = interleave(even, odd);
      store<T>(out + at, uniform_lanes<T>(first));
      store<T>(out + at + narrow_lanes, uniform_lanes<T>(second));
    });
  }
}

template <class T>
inline void transform_tile(const distribution::Normal<T>&, const WordTile& tile, T* out) {
  using Words = std::conditional_t<distribution::Normal<T>::words == 2, WideWords, NarrowWords>;
  using V = Lanes<compute_t<T>, lane_count_v<Words>>;
  for_words<Words>(tile, [&](int at, Words even, Words odd) SITU_INLINE_LAMBDA {
    const math::NormalPair<V> pair = math::box_muller<V>(even, odd);
    const auto [first, second] = interleave(pair.first, pair.second);
    store<T>(out + at, first);
    store<T>(out + at + lane_count_v<Words>, second);
  });
}

template <class T>
inline void transform_tile(const distribution::Exponential<T>&, const WordTile& tile, T* out) {
  using Words = std::conditional_t<distribution::Exponential<T>::words == 2, WideWords, NarrowWords>;
  using V = Lanes<compute_t<T>, lane_count_v<Words>>;
  for_words<Words>(tile, [&](int at, Words even, Words odd) SITU_INLINE_LAMBDA {
    const auto [first, second] = interleave(math::exponential<V>(even), math::exponential<V>(odd));
    store<T>(out + at, first);
    store<T>(out + at + lane_count_v<Words>, second);
  });
}

template <class T>
inline void transform_tile(const distribution::Integers<T>& integers, const WordTile& tile, T* out) {
  if (integers.range >> 32 == 0) {
    for_words<WideWords>(tile, [&](int at, WideWords even, WideWords odd) SITU_INLINE_LAMBDA {
      const auto [first, second] =
          interleave(multiply_high_short(even, integers.range), multiply_high_short(odd, integers.range));
      const WideWords low(static_cast<std::int64_t>(integers.low));
      store<T>(out + at, convert<T>(first + low));
      store<T>(out + at + wide_lanes, convert<T>(second + low));
    });
  } else {
    for (int block = 0; block < tile_blocks; ++block) {
      const std::uint64_t first = distribution::detail::multiply_high(tile.even[block], integers.range);
      const std::uint64_t second = distribution::detail::multiply_high(tile.odd[block], integers.range);
      out[2 * block] = static_cast<T>(static_cast<std::uint64_t>(integers.low) + first);
      out[2 * block + 1] = static_cast<T>(static_cast<std::uint64_t>(integers.low) + second);
    }
  }
}

template <class T>
inline void transform_tile(const distribution::Bernoulli<T>& bernoulli, const WordTile& tile, T* out) {
  constexpr std::uint64_t certain = std::uint64_t{1} << 32;
  const bool always = bernoulli.threshold >= certain;
  // Unsigned order is signed order with the top bits flipped.
  const NarrowWords top(std::numeric_limits<std::int32_t>::min());
  const NarrowWords bound(static_cast<std::int32_t>(static_cast<std::uint32_t>(bernoulli.threshold) ^ 0x80000000u));
  const auto put = [&](T* to, NarrowWords words) SITU_INLINE_LAMBDA {
    const auto hit = ((words ^ top) < bound) | Mask<std::int32_t, narrow_lanes>(always);
    if constexpr (std::same_as<T, bool>) store(to, hit);
    else store<T>(to, convert<compute_t<T>>(hit));
  };
  for_words<NarrowWords>(tile, [&](int at, NarrowWords even, NarrowWords odd) SITU_INLINE_LAMBDA {
    const auto [first, second] = interleave(even, odd);
    put(out + at, first);
    put(out + at + narrow_lanes, second);
  });
}

}  // namespace detail

/// Writes elements [first, first + count) of a distribution to `out`: `out[i]` is `distribution(first + i)` bit for
/// bit, for any split. `first` is not negative. About 0.4 ns per float with AVX-512, which is the cost of Philox
/// itself.
///
///     fill_random(distribution::Normal<float>{{.seed = 1, .draw = 0}}, out, 0, n);
template <class Distribution, class T = typename Distribution::value_type>
void fill_random(const Distribution& distribution, T* out, std::int64_t first, std::int64_t count) {
  constexpr std::int64_t per_block = 4 / Distribution::words;
  constexpr std::int64_t per_tile = detail::tile_blocks * per_block;
  detail::WordTile tile;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t start = (first + done) / per_block;  // the block of the next element
    const std::int64_t skip = (first + done) % per_block;
    const std::int64_t take = std::min(per_tile - skip, count - done);
    detail::philox_tile<Distribution::words>(distribution.stream, static_cast<std::uint64_t>(start), tile);
    if (take == per_tile) {
      detail::transform_tile(distribution, tile, out + done);
    } else {
      alignas(64) T part[std::size_t{per_tile}];
      detail::transform_tile(distribution, tile, part);
      std::memcpy(out + done, part + skip, static_cast<std::size_t>(take) * sizeof(T));
    }
    done += take;
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
