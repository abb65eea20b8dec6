// SPDX-License-Identifier: Apache-2.0
// What the rows of Fourier transforms and of einsum are made of: the same for every peer.
#pragma once

#include "harness.hpp"

#include <complex>

namespace rows::transforms {

/// Lengths, as powers of 2; short ones come in batches of as many elements as the longest has.
inline constexpr int lengths[] = {10, 12, 14, 16, 18, 20};
/// A prime, and a length of small factors.
inline constexpr std::int64_t others[] = {1009, 1000};
inline constexpr std::int64_t elements = std::int64_t{1} << 20;

inline std::string transform_row(const char* operation, std::int64_t n) {
  return std::string(operation) + ", " + std::to_string(n) + ", batch " + std::to_string(elements / n);
}
/// All lines of length `n`, one after another.
inline std::vector<float> reals(std::int64_t n) { return random(elements / n * n, 1); }
inline std::vector<std::complex<float>> complexes(std::int64_t n) {
  const std::vector<float> re = random(elements / n * n, 1), im = random(elements / n * n, 2);
  std::vector<std::complex<float>> x(re.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {re[i], im[i]};
  return x;
}
inline std::vector<std::int64_t> all_lengths() {
  std::vector<std::int64_t> found;
  for (const int power : lengths) found.push_back(std::int64_t{1} << power);
  found.insert(found.end(), std::begin(others), std::end(others));
  return found;
}

/// Of attention: batch, heads, queries and keys, channels.
inline constexpr std::int64_t images = 8, heads = 8, words = 128, channels = 64;
inline const char* const batched = "einsum bij,bjk->bik, 64 of 128";
inline const char* const scores = "einsum bqhd,bkhd->bhqk, 8 8 128 64";
inline const char* const bilinear = "einsum bi,ijk,bk->bj, 256 of 64";

}  // namespace rows::transforms
