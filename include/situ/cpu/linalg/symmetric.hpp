// SPDX-License-Identifier: Apache-2.0
// Checks whether a matrix is symmetric.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/cpu/transpose.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// The distance of a matrix from its transpose.
template <class T>
struct Asymmetry {
  T largest = 0;   // largest element below the diagonal or on it
  T furthest = 0;  // distance of an element and its mirror image; ignores NaN, which the computation finds
};

/// That of a matrix with contiguous rows, `row` elements apart. In tiles, each transposed next to its mirror image, so
/// that a cache line is read in one go.
template <class T>
[[nodiscard]] Asymmetry<T> asymmetry(const T* from, std::int64_t n, std::int64_t row) {
  constexpr std::integral_constant<std::int64_t, 16> side;
  std::array<T, side> largest{};
  std::array<T, side> furthest{};
  const auto look = [&](std::int64_t i, std::int64_t j, auto rows, auto columns) {
    std::array<T, side * side> mirrored;
    transpose_plane<T>(from + i * row + j, row, mirrored.data(), side, rows, columns);
    for (std::int64_t c = 0; c < columns; ++c) {
      const T* const lower = mirrored.data() + c * side;
      const T* const upper = from + (j + c) * row + i;
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto lane = static_cast<std::size_t>(r);
        const T size = std::abs(lower[r]);
        const T apart = std::abs(lower[r] - upper[r]);
        largest[lane] = size > largest[lane] ? size : largest[lane];
        furthest[lane] = apart > furthest[lane] ? apart : furthest[lane];
      }
    }
  };
  for (std::int64_t j = 0; j < n; j += side) {
    for (std::int64_t i = j; i < n; i += side) {
      if (i + side <= n) look(i, j, side, side);
      else look(i, j, n - i, std::min<std::int64_t>(side, n - j));
    }
  }
  return {*std::max_element(largest.begin(), largest.end()), *std::max_element(furthest.begin(), furthest.end())};
}
/// That of a matrix with any strides.
template <class T, class Element>
[[nodiscard]] Asymmetry<T> asymmetry_of(std::int64_t n, const Element& element) {
  Asymmetry<T> found;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const T size = std::abs(element(i, j));
      const T apart = std::abs(element(i, j) - element(j, i));
      found.largest = size > found.largest ? size : found.largest;
      found.furthest = apart > found.furthest ? apart : found.furthest;
    }
  }
  return found;
}

/// The first row, counted from 1, that differs from its column by more than `symmetry_tolerance`; 0 if none does.
template <class T>
[[nodiscard]] std::int64_t first_unsymmetric_row(const program::Matrices<T>& a, std::int64_t at) {
  const T* const from = a.data + at * a.batch;
  const auto element = [&](std::int64_t i, std::int64_t j) { return from[i * a.row + j * a.column]; };
  const Asymmetry<T> found = a.column == 1 ? asymmetry(from, a.rows, a.row)
                             : a.row == 1  ? asymmetry(from, a.rows, a.column)
                                           : asymmetry_of<T>(a.rows, element);
  const T allowed = symmetry_tolerance<T> * found.largest;
  if (!(found.furthest > allowed)) return 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (std::abs(element(i, j) - element(j, i)) > allowed) return i + 1;
    }
  }
  return 0;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
