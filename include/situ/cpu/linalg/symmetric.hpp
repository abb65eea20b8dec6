// SPDX-License-Identifier: Apache-2.0
// Whether a matrix that must be symmetric is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <situ/plan/linalg.hpp>

namespace situ::internal::cpu::detail {

/// The first row, counted from 1, that differs from its column by more than `symmetry_tolerance`; 0 if none does. NaN
/// differs from nothing: it is found by what is computed. In blocks, as `copy_rows`.
template <class T>
[[nodiscard]] std::int64_t first_unsymmetric_row(const program::Matrices<T>& a, std::int64_t at) {
  constexpr std::int64_t block = 8;
  const T* const from = a.data + at * a.batch;
  const auto element = [&](std::int64_t i, std::int64_t j) { return from[i * a.row + j * a.column]; };
  T largest = 0;
  T furthest = 0;
  for (std::int64_t first = 0; first < a.rows; first += block) {
    const std::int64_t end = std::min(first + block, a.rows);
    for (std::int64_t j = 0; j < end; ++j) {
      for (std::int64_t i = std::max(first, j); i < end; ++i) {
        const T lower = element(i, j);
        const T apart = std::abs(lower - element(j, i));
        largest = std::abs(lower) > largest ? std::abs(lower) : largest;
        furthest = apart > furthest ? apart : furthest;
      }
    }
  }
  const T allowed = symmetry_tolerance<T> * largest;
  if (!(furthest > allowed)) return 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (std::abs(element(i, j) - element(j, i)) > allowed) return i + 1;
    }
  }
  return 0;
}

}  // namespace situ::internal::cpu::detail
