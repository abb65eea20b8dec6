// SPDX-License-Identifier: Apache-2.0
// What the rows of selecting and counting are made of: the same elements for every peer.
#pragma once

#include "harness.hpp"

namespace rows::selection {

inline constexpr std::int64_t count = 10000000;
/// Of a hundred elements so many are selected.
inline constexpr int percents[] = {1, 50};
inline constexpr std::int64_t bins = 100;
/// Different values among the integers.
inline constexpr std::int64_t different = 1000;
/// Rows of the table that `index_add` adds to, their length, and how many are added.
inline constexpr std::int64_t table = 50000, width = 128, added = 100000;

inline std::string selected(const char* operation, int percent) {
  return std::string(operation) + ", 1e7, " + std::to_string(percent) + " % true";
}
/// What elements from -2 to 2 are compared with, so that as many are larger.
inline float limit(int percent) { return 2.0f - 0.04f * static_cast<float>(percent); }

inline std::vector<std::int64_t> integers(std::int64_t n, std::int64_t below, unsigned seed) {
  const std::vector<float> from = random(n, seed, 0.0f, static_cast<float>(below));
  std::vector<std::int64_t> values(from.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(from[i]) % below;
  return values;
}

inline const char* const unique_floats = "unique of floats, 1e7";
inline const char* const unique_integers = "unique of 1000 int64, 1e7";
inline const char* const histogram = "histogram of 100 bins, 1e7";
inline const char* const bincount = "bincount of 1000, 1e7";
inline const char* const index_add = "index_add of 1e5 rows of 128";

}  // namespace rows::selection
