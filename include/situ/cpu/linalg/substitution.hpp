// SPDX-License-Identifier: Apache-2.0
// Systems with a triangular matrix and one right-hand side, in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <Eigen/Core>

#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/transpose.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Solves for as many unknowns as a register holds, with a contiguous column-major matrix of that size: each is
/// subtracted from all others at once. (A dot product for each waits for its sum. Unrolled, this was 1/20 of the code
/// of a program that calls `solve`.)
template <class T>
void substitute_block(const T* columns, bool lower, bool unit, T* x) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  using V = Lanes<T, lanes>;
  V lane;
  for (int i = 0; i < lanes; ++i) lane.part[0][i] = static_cast<T>(i);
  for (int step = 0; step < lanes; ++step) {
    const int at = lower ? step : lanes - 1 - step;
    const T value = unit ? x[at] : x[at] / columns[at * (lanes + 1)];
    const V here = static_cast<T>(at), known = load<T, lanes>(x);
    const V rest = known - V(value) * load<T, lanes>(columns + at * lanes);
    const V taken = select(lower ? lane > here : lane < here, rest, known);
    store(x, select(lane == here, V(value), taken));
  }
}

/// For a matrix with contiguous rows, `row` elements apart.
template <class T>
void substitute_by_rows(const T* a, std::int64_t row, std::int64_t n, bool lower, bool unit, T* x) {
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr int side = vector_bytes / static_cast<int>(sizeof(T));
  for (std::int64_t done = 0; done < n; done += side) {
    const std::int64_t count = std::min<std::int64_t>(side, n - done);
    const std::int64_t first = lower ? done : n - done - count;
    const std::int64_t known = lower ? 0 : first + count;
    Eigen::Map<Vector> part(x + first, count);
    if (done > 0) {
      part.noalias() -= Eigen::Map<const Rows, Eigen::Unaligned, Eigen::OuterStride<>>(
                            a + first * row + known, count, done, Eigen::OuterStride<>(row)) *
                        Eigen::Map<const Vector>(x + known, done);
    }
    const T* const diagonal = a + first * (row + 1);
    if (count == side) {
      T columns[std::size_t{side * side}];
      transpose_plane<T>(diagonal, row, columns, side, side, side);
      substitute_block(columns, lower, unit, x + first);
    } else {
      for (std::int64_t step = 0; step < count; ++step) {
        const std::int64_t i = lower ? step : count - 1 - step;
        const std::int64_t others = lower ? 0 : i + 1;
        for (std::int64_t j = others; j < others + step; ++j) part[i] -= diagonal[i * row + j] * part[j];
        if (!unit) part[i] /= diagonal[i * (row + 1)];
      }
    }
  }
}

/// For a matrix with contiguous columns, `column` elements apart.
template <class T>
void substitute_by_columns(const T* a, std::int64_t column, std::int64_t n, bool lower, bool unit, T* x) {
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = lower ? step : n - 1 - step;
    if (!unit) x[i] /= a[i * (column + 1)];
    const std::int64_t first = lower ? i + 1 : 0;
    const std::int64_t count = n - 1 - step;
    Eigen::Map<Vector>(x + first, count) -= x[i] * Eigen::Map<const Vector>(a + first + i * column, count);
  }
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
