// SPDX-License-Identifier: Apache-2.0
// Householder reflections of small matrices of a batch, side by side, as in side_by_side.hpp; signs and the tolerance
// for 0 are those of Eigen and LAPACK.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/linalg/groups.hpp>
#include <situ/cpu/linalg/side_by_side.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// The most rows, columns and right-hand sides. A loop over Eigen's QR takes 59, 40, 11 and 8 times as long for n = 3,
/// 4, 8 and 16 with 64-byte registers.
inline constexpr std::int64_t most_rows_reflected_side_by_side = vector_bytes > 16 ? 16 : 8;

/// Applies reflection `k` of `m`, in rows of `width` registers, to columns `[first, last)` of `x`.
template <class V, class Rows>
[[SITU_INLINE]] inline void apply_reflection(const V* m, std::int64_t width, V tau, Rows rows, std::int64_t k, V* x,
                                             std::int64_t x_width, std::int64_t first, std::int64_t last) {
  for (std::int64_t j = first; j < last; ++j) {
    V sum = x[k * x_width + j];
    for (std::int64_t i = k + 1; i < rows; ++i) sum = mul_add(m[i * width + k], x[i * x_width + j], sum);
    sum = sum * tau;
    x[k * x_width + j] = x[k * x_width + j] - sum;
    for (std::int64_t i = k + 1; i < rows; ++i) {
      x[i * x_width + j] = mul_add(-m[i * width + k], sum, x[i * x_width + j]);
    }
  }
}

/// Computes the factor R of the first `columns` of rows of `width` registers in their upper triangle, with the vectors
/// below it; the columns to the right are multiplied by Q^T.
template <class V, class Rows, class Columns, class Width>
[[SITU_INLINE]] inline void reflect(V* m, Rows rows, Columns columns, Width width, V* tau) {
  using T = lane_element_t<V>;
  const std::int64_t steps = std::min<std::int64_t>(rows, columns);
  for (std::int64_t k = 0; k < steps; ++k) {
    V tail(T(0));
    for (std::int64_t i = k + 1; i < rows; ++i) tail = mul_add(m[i * width + k], m[i * width + k], tail);
    const V first = m[k * width + k];
    const auto nothing = tail <= V(std::numeric_limits<T>::min());
    const V length = sqrt(mul_add(first, first, tail));
    const V pivot = select(nothing, first, select(first >= V(T(0)), -length, length));
    tau[k] = select(nothing, V(T(0)), (pivot - first) / pivot);
    const V scale = V(T(1)) / (first - pivot);
    m[k * width + k] = pivot;
    for (std::int64_t i = k + 1; i < rows; ++i) {
      m[i * width + k] = select(nothing, V(T(0)), m[i * width + k] * scale);
    }
    apply_reflection(m, width, tau[k], rows, k, m, width, k + 1, width);
  }
}

/// A power of 2 that keeps the squares of a column with this largest magnitude, and their sum, from overflowing or
/// vanishing; 1 in most cases. It scales columns of A and of R, and changes nothing else.
template <class V>
[[nodiscard]] V scale_for_squares(V largest) {
  using lane::select;
  using T = lane_element_t<V>;
  constexpr bool single = std::is_same_v<T, float>;
  const V up(T(single ? 0x1p86 : 0x1p768)), down(T(single ? 0x1p-86 : 0x1p-768));
  return select(largest > V(T(single ? 0x1p50 : 0x1p480)), down,
                select(largest < V(T(single ? 0x1p-40 : 0x1p-400)), up, V(T(1))));
}

/// Multiplies columns of rows of `width` registers by `scales`. Returns whether that changes the matrix.
template <class V, class Rows, class Columns>
[[SITU_INLINE]] inline bool scale_columns(V* m, Rows rows, Columns columns, std::int64_t width, V* scales) {
  using T = lane_element_t<V>;
  V any(T(0));
  for (std::int64_t j = 0; j < columns; ++j) {
    V largest(T(0));
    for (std::int64_t i = 0; i < rows; ++i) {
      const V size = abs(m[i * width + j]);
      largest = select(size > largest, size, largest);
    }
    scales[j] = scale_for_squares(largest);
    any = select(scales[j] == V(T(1)), any, V(T(1)));
  }
  if (!any_lane(any)) return false;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) m[i * width + j] = m[i * width + j] * scales[j];
  }
  return true;
}

/// Whether `qr_side_by_side` accepts matrices of this size. (`least_squares_side_by_side` also stores right-hand sides,
/// which fit in twice the space.)
[[nodiscard]] inline bool fits_reflections(std::int64_t rows, std::int64_t columns) {
  return std::max(rows, columns) <= most_rows_reflected_side_by_side;
}

/// Q with `q_columns` columns, and R.
template <class T>
void qr_side_by_side(const program::Matrices<T>& a, std::int64_t q_columns, T* q, T* r) {
  using V = Group<T>;
  const auto factor = [&](std::int64_t group, auto rows, auto columns, auto width) {
    GroupRoom<V, decltype(rows), decltype(columns)> room(rows, columns);
    GroupRoom<V, decltype(rows), decltype(width)> orthogonal(rows, width);
    V tau[std::size_t{most_rows_reflected_side_by_side}];
    V scales[std::size_t{most_rows_reflected_side_by_side}];
    V* const m = room.elements();
    V* const x = orthogonal.elements();
    const std::int64_t steps = std::min<std::int64_t>(rows, columns);
    load_group(a, rows, columns, group, m, columns);
    const bool scaled = scale_columns(m, rows, columns, columns, scales);
    reflect(m, rows, columns, columns, tau);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < width; ++j) x[i * width + j] = V(T(i == j ? 1 : 0));
    }
    for (std::int64_t k = steps - 1; k >= 0; --k) apply_reflection(m, columns, tau[k], rows, k, x, width, k, width);
    store_group(x, width, rows, width, group, a.count, q);
    for (std::int64_t i = 1; i < width; ++i) std::fill_n(m + i * columns, std::min<std::int64_t>(i, columns), V(T(0)));
    for (std::int64_t i = 0; scaled && i < width; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) m[i * columns + j] = m[i * columns + j] / scales[j];
    }
    store_group(m, columns, width, columns, group, a.count, r);
    return V(T(0));
  };
  for_each_group(
      LinAlgOperation::qr, a, 4 * a.rows * a.columns * q_columns,
      [&](std::int64_t group) {
        if (a.rows != a.columns) return factor(group, a.rows, a.columns, q_columns);
        return with_extent(a.rows, [&](auto n) { return factor(group, n, n, n); });
      },
      [](std::int64_t, std::int64_t) { return MatrixOutcome{}; });
}

/// Least squares. If a column may depend on others, `otherwise(i)` decides, and then also writes the solution.
template <class T, class F>
void least_squares_side_by_side(const program::Matrices<T>& a, const program::Matrices<T>& b, T* x,
                                const F& otherwise) {
  using V = Group<T>;
  const auto solve = [&](std::int64_t group, auto rows, auto columns, auto sides, auto width) {
    GroupRoom<V, decltype(rows), decltype(width)> room(rows, width);
    V tau[std::size_t{most_rows_reflected_side_by_side}];
    V scales[std::size_t{most_rows_reflected_side_by_side}];
    V* const m = room.elements();
    load_group(a, rows, columns, group, m, width);
    load_group(b, rows, sides, group, m + columns, width);
    const bool scaled = scale_columns(m, rows, columns, width, scales);
    reflect(m, rows, columns, width, tau);
    V doubtful(T(0));
    for (std::int64_t j = 0; j < columns; ++j) {
      V squares(T(0));
      for (std::int64_t i = 0; i <= j; ++i) squares = mul_add(m[i * width + j], m[i * width + j], squares);
      // twice the tolerance, and a column of 0
      const V least = V(2 * dependence_tolerance<T>(a.rows)) * sqrt(squares);
      const V pivot = abs(m[j * width + j]);
      doubtful = select(pivot > least, doubtful, V(T(1)));
      doubtful = select(squares > V(std::numeric_limits<T>::min() * T(0x1p40)), doubtful, V(T(1)));
    }
    substitute_back<SideBySide<T, V>>(m, columns, width, width);
    for (std::int64_t i = 0; scaled && i < columns; ++i) {
      for (std::int64_t j = columns; j < width; ++j) m[i * width + j] = m[i * width + j] * scales[i];
    }
    store_group(m + columns, width, columns, sides, group, a.count, x);
    return doubtful;
  };
  for_each_group(
      LinAlgOperation::lstsq, a, 2 * a.rows * a.columns * (a.columns + b.columns),
      [&](std::int64_t group) {
        if (a.rows == a.columns && b.columns == 1) {
          constexpr std::integral_constant<std::int64_t, 1> one;
          return with_extent(a.rows, [&](auto n) {
            if constexpr (std::is_same_v<decltype(n), std::int64_t>) return solve(group, n, n, one, n + 1);
            else return solve(group, n, n, one, std::integral_constant<std::int64_t, n + 1>{});
          });
        }
        return solve(group, a.rows, a.columns, b.columns, a.columns + b.columns);
      },
      [&](std::int64_t matrix, std::int64_t) { return otherwise(matrix); });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
