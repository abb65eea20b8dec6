// SPDX-License-Identifier: Apache-2.0
// Random distributions as functions of an element's index: uniform, normal, exponential, integers, Bernoulli.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/philox.hpp>
#include <situ/formula/math/random_normal.hpp>

/// Each distribution is a small trivially copyable function object: `operator()(index)` is element `index` of its
/// stream, on the host and in a kernel alike. It depends on (seed, draw, index) only: the number of threads, the device
/// and the partition of the range do not change an element. `internal::cpu::fill_random` computes many of them in
/// vector registers.
///
///     internal::distribution::Uniform<float> u{{.seed = 42, .draw = 0}};
///     float third = u(2);
///
/// `words` is the number of 32-bit words that an element takes, so that a block of Philox holds 4 / words elements;
/// `element(block, place)` is one of them. A kernel computes all elements of a block at once.
namespace situ::internal::distribution {

namespace detail {

/// The 64 bits of one of the two elements that share a block. (The place is compared, not used as an index: a GPU
/// cannot keep an array that is indexed at run time in registers.)
constexpr std::uint64_t wide_word(const PhiloxWords& block, int place) {
  const std::uint32_t low = place != 0 ? block.word[2] : block.word[0];
  const std::uint32_t high = place != 0 ? block.word[3] : block.word[1];
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

/// The 32 bits of one of the four elements that share a block.
constexpr std::uint32_t narrow_word(const PhiloxWords& block, int place) {
  const std::uint32_t even = (place & 2) != 0 ? block.word[2] : block.word[0];
  const std::uint32_t odd = (place & 2) != 0 ? block.word[3] : block.word[1];
  return (place & 1) != 0 ? odd : even;
}

/// Element `index` of a distribution.
template <class Distribution>
constexpr typename Distribution::value_type at(const Distribution& distribution, std::int64_t index) {
  constexpr std::int64_t per_block = 4 / Distribution::words;
  return distribution.element(distribution.stream.block(static_cast<std::uint64_t>(index / per_block)),
                              static_cast<int>(index % per_block));
}

/// The upper 64 bits of the product.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

}  // namespace detail

/// Uniform on [0, 1): an integer with as many bits as T has digits (24, 53, 11 for float16, 8 for bfloat16), scaled.
/// Exact in T, so the result is never 1.
template <FloatingElement T>
struct Uniform {
  using value_type = T;
  static constexpr int words = std::same_as<T, double> ? 2 : 1;
  static constexpr int digits = std::same_as<T, double>    ? 53
                                : std::same_as<T, float>   ? 24
                                : std::same_as<T, float16> ? 11
                                                           : 8;
  RandomStream stream;

  constexpr T operator()(std::int64_t index) const { return detail::at(*this, index); }
  constexpr T element(const PhiloxWords& block, int place) const {
    if constexpr (words == 2) {
      return static_cast<double>(detail::wide_word(block, place) >> 11) * 0x1p-53;
    } else {
      constexpr float scale = 1.0f / static_cast<float>(1 << digits);
      return static_cast<T>(static_cast<float>(detail::narrow_word(block, place) >> (32 - digits)) * scale);
    }
  }
};

/// Normal with mean 0 and variance 1: elements 2 i and 2 i + 1 are a pair of `math::box_muller`. The 16-bit types are
/// rounded from float.
template <FloatingElement T>
struct Normal {
  using value_type = T;
  static constexpr int words = std::same_as<T, double> ? 2 : 1;
  RandomStream stream;

  constexpr T operator()(std::int64_t index) const { return detail::at(*this, index); }
  constexpr T element(const PhiloxWords& block, int place) const {
    using C = compute_t<T>;
    math::NormalPair<C> pair;
    if constexpr (words == 2) {
      pair = math::box_muller<double>(static_cast<std::int64_t>(detail::wide_word(block, 0)),
                                      static_cast<std::int64_t>(detail::wide_word(block, 1)));
    } else {
      pair = math::box_muller<float>(static_cast<std::int32_t>(detail::narrow_word(block, place & 2)),
                                     static_cast<std::int32_t>(detail::narrow_word(block, place | 1)));
    }
    return static_cast<T>((place & 1) != 0 ? pair.second : pair.first);
  }
};

/// Exponential with mean 1: minus the logarithm of a number of (0, 1). The 16-bit types are rounded from float.
template <FloatingElement T>
struct Exponential {
  using value_type = T;
  static constexpr int words = std::same_as<T, double> ? 2 : 1;
  RandomStream stream;

  constexpr T operator()(std::int64_t index) const { return detail::at(*this, index); }
  constexpr T element(const PhiloxWords& block, int place) const {
    if constexpr (words == 2) {
      return math::exponential<double>(static_cast<std::int64_t>(detail::wide_word(block, place)));
    } else {
      return static_cast<T>(math::exponential<float>(static_cast<std::int32_t>(detail::narrow_word(block, place))));
    }
  }
};

/// Uniform integers of [low, low + range): the upper half of a 64-bit word times `range`. The probability of a value is
/// off by at most 2^-64; rejecting words to avoid that would make an element depend on the counters of others.
template <IntegerElement T>
struct Integers {
  using value_type = T;
  static constexpr int words = 2;
  RandomStream stream;
  T low = 0;
  std::uint64_t range = 1;  // at least 1

  constexpr T operator()(std::int64_t index) const { return detail::at(*this, index); }
  constexpr T element(const PhiloxWords& block, int place) const {
    const std::uint64_t offset = detail::multiply_high(detail::wide_word(block, place), range);
    return static_cast<T>(static_cast<std::uint64_t>(low) + offset);
  }

  /// For values from `low` up to, but not including, `high`, which must be larger.
  static constexpr Integers between(RandomStream stream, T low, T high) {
    return {stream, low, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)};
  }
};

/// 1 (or true) with a probability p, else 0. p is rounded to a multiple of 2^-32; 0 and 1 are exact.
template <Element T = bool>
struct Bernoulli {
  using value_type = T;
  static constexpr int words = 1;
  RandomStream stream;
  std::uint64_t threshold = 0;  // of 2^32

  constexpr T operator()(std::int64_t index) const { return detail::at(*this, index); }
  constexpr T element(const PhiloxWords& block, int place) const {
    const bool hit = detail::narrow_word(block, place) < threshold;
    if constexpr (std::same_as<T, float16> || std::same_as<T, bfloat16>) return T(hit ? 1.0f : 0.0f);
    else return static_cast<T>(hit);
  }

  /// `probability` must be in [0, 1].
  static constexpr Bernoulli with_probability(RandomStream stream, double probability) {
    return {stream, static_cast<std::uint64_t>(probability * 0x1p32 + 0.5)};
  }
};

}  // namespace situ::internal::distribution
