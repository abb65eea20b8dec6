// SPDX-License-Identifier: Apache-2.0
// Small matrices of a batch, side by side: a register holds one element of several matrices, so that all arithmetic is
// on whole registers whatever the size of a matrix, and rows are exchanged by selection, not by branches. (One at a
// time by Eigen, two thirds of the time of 3 x 3 is memory that is had and given back.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <situ/core/error.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/linalg/groups.hpp>
#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/symmetric.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::cpu::detail {

/// Gaussian elimination with partial pivoting of `rows` x `columns`, the right-hand sides beside the matrices. Gives
/// the determinants.
template <class V, class Rows, class Columns>
[[gnu::always_inline]] inline V eliminate(V* m, Rows rows, Columns columns) {
  const std::int64_t n = rows;
  const std::int64_t width = columns;
  V product(lane_element_t<V>(1));
  for (std::int64_t c = 0; c < n; ++c) {
    V* const top = m + c * width;
    for (std::int64_t r = c + 1; r < n; ++r) {
      V* const row = m + r * width;
      const auto larger = abs(top[c]) < abs(row[c]);
      for (std::int64_t j = c; j < width; ++j) {
        const V above = select(larger, row[j], top[j]);
        row[j] = select(larger, top[j], row[j]);
        top[j] = above;
      }
      product = select(larger, -product, product);
    }
    const V pivot = top[c];
    product = product * pivot;
    for (std::int64_t r = c + 1; r < n; ++r) {
      V* const row = m + r * width;
      const V factor = row[c] / pivot;
      for (std::int64_t j = c + 1; j < width; ++j) row[j] = row[j] - factor * top[j];
    }
  }
  return product;
}

/// The number, from 1, of each matrix' first pivot for which not `good(pivot)`; 0 where there is none.
template <class V, class F>
[[nodiscard, gnu::always_inline]] inline V first_pivot_not(V* m, std::int64_t rows, std::int64_t columns,
                                                           const F& good) {
  using T = lane_element_t<V>;
  V at(T(0));
  for (std::int64_t c = rows - 1; c >= 0; --c) {
    at = select(good(m[c * columns + c]), at, V(static_cast<T>(c + 1)));
  }
  return at;
}

/// The solutions, in the place of the right-hand sides, of what `eliminate` leaves.
template <class V, class Rows, class Columns>
[[gnu::always_inline]] inline void substitute_back(V* m, Rows rows, Columns columns) {
  const std::int64_t n = rows;
  const std::int64_t width = columns;
  for (std::int64_t r = n - 1; r >= 0; --r) {
    V* const row = m + r * width;
    for (std::int64_t j = n; j < width; ++j) {
      V rest = row[j];
      for (std::int64_t c = r + 1; c < n; ++c) rest = rest - row[c] * m[c * width + j];
      row[j] = rest / row[r];
    }
  }
}

/// The factor of Cholesky in the place of the lower triangle: a leading minor that is not positive leaves 0 or NaN on
/// the diagonal.
template <class V, class Rows>
[[gnu::always_inline]] inline void cholesky_of_group(V* m, Rows rows) {
  const std::int64_t n = rows;
  for (std::int64_t c = 0; c < n; ++c) {
    const V root = sqrt(m[c * n + c]);
    m[c * n + c] = root;
    for (std::int64_t r = c + 1; r < n; ++r) m[r * n + c] = m[r * n + c] / root;
    for (std::int64_t r = c + 1; r < n; ++r) {
      for (std::int64_t j = c + 1; j <= r; ++j) m[r * n + j] = m[r * n + j] - m[r * n + c] * m[j * n + c];
    }
  }
}

/// `f(group)` for the groups of a batch, which gives 0 for each matrix where all is well. Of another
/// `outcome(matrix, what f gave)` says more, and may compute it after all. Throws the `LinAlgError` of the first that
/// has failed then.
template <class T, class F, class Outcome>
void for_each_group(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t operations, const F& f,
                    const Outcome& outcome) {
  constexpr std::int64_t size = Group<T>::count;
  FirstFailure failure;
  for_ranges_of_matrices((a.count - 1) / size + 1, operations * size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t group = begin; group < end; ++group) {
      const Group<T> at = f(group);
      for (std::int64_t i = group * size; i < std::min((group + 1) * size, a.count); ++i) {
        const auto found = static_cast<std::int64_t>(at[static_cast<int>(i - group * size)]);
        if (found == 0) continue;
        if (const MatrixOutcome matrix = outcome(i, found); matrix.failed) failure.report(i, matrix);
      }
    }
  });
  failure.throw_if_any(operation, a);
}

/// Whether `solve_side_by_side` takes systems of this size.
[[nodiscard]] inline bool fits_side_by_side(std::int64_t rows, std::int64_t sides) {
  return std::max(rows, sides) <= most_rows_of_systems_side_by_side;
}

/// X of A X = B, `b(rows, sides, group, to, width)` being a function that writes the right-hand sides.
template <class T, class B>
void solve_side_by_side(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t sides, const B& b,
                        T* x) {
  using V = Group<T>;
  const auto solve = [&](std::int64_t group, auto rows, auto columns, auto beside) {
    const std::int64_t n = rows;
    const std::int64_t width = columns;
    GroupRoom<V, decltype(rows), decltype(columns)> room;
    V* const m = room.elements;
    load_group(a, rows, rows, group, m, width);
    b(rows, beside, group, m + n, width);
    eliminate(m, rows, columns);
    substitute_back(m, rows, columns);
    store_group(m + n, width, rows, beside, group, a.count, x);
    return first_pivot_not(m, n, width, [](V pivot) { return pivot != V(T(0)); });
  };
  for_each_group(
      operation, a, a.rows * a.rows * (a.rows + sides),
      [&](std::int64_t group) {
        return with_extent(a.rows, [&](auto rows) {
          if constexpr (!std::is_same_v<decltype(rows), std::int64_t>) {
            if (sides == 1) {
              return solve(group, rows, std::integral_constant<std::int64_t, rows + 1>{},
                           std::integral_constant<std::int64_t, 1>{});
            }
          }
          return solve(group, a.rows, a.rows + sides, sides);
        });
      },
      [](std::int64_t, std::int64_t at) { return MatrixOutcome{LinAlgFault::singular, at, true}; });
}

/// One determinant a matrix.
template <class T>
void determinants_side_by_side(const program::Matrices<T>& a, T* out) {
  using V = Group<T>;
  for_each_group(
      LinAlgOperation::det, a, a.rows * a.rows * a.rows,
      [&](std::int64_t group) {
        return with_extent(a.rows, [&](auto rows) {
          GroupRoom<V, decltype(rows), decltype(rows)> room;
          const std::int64_t n = rows;
          load_group(a, rows, rows, group, room.elements, n);
          V product = eliminate(room.elements, rows, rows);
          const V zero = first_pivot_not(room.elements, n, n, [](V pivot) { return pivot != V(T(0)); });
          // behind a pivot of 0 stand others that are NaN
          product = select(zero > V(T(0)), V(T(0)), product);
          constexpr std::integral_constant<std::int64_t, 1> one;
          store_group(&product, 1, one, one, group, a.count, out);
          return V(T(0));
        });
      },
      [](std::int64_t, std::int64_t) { return MatrixOutcome{}; });
}

/// The factor of Cholesky, of a matrix that is `checked` to be symmetric or not.
template <class T>
void cholesky_side_by_side(const program::Matrices<T>& a, bool checked, T* l) {
  using V = Group<T>;
  const auto factor = [&](std::int64_t group, auto rows) {
    const std::int64_t n = rows;
    GroupRoom<V, decltype(rows), decltype(rows)> room;
    V* const m = room.elements;
    load_group(a, rows, rows, group, m, n);
    V largest(T(0));
    V furthest(T(0));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        const V lower = m[i * n + j];
        largest = select(abs(lower) > largest, abs(lower), largest);
        if (!checked || i == j) continue;
        const V apart = abs(lower - m[j * n + i]);
        furthest = select(apart > furthest, apart, furthest);
      }
    }
    cholesky_of_group(m, rows);
    const V at = first_pivot_not(m, n, n, [](V pivot) { return pivot > V(T(0)); });
    for (std::int64_t i = 0; i < n; ++i) std::fill(m + i * n + i + 1, m + (i + 1) * n, V(T(0)));
    store_group(m, n, rows, rows, group, a.count, l);
    return select(furthest > V(symmetry_tolerance<T>) * largest, V(T(-1)), at);
  };
  for_each_group(
      LinAlgOperation::cholesky, a, a.rows * a.rows * a.rows / 3,
      [&](std::int64_t group) { return with_extent(a.rows, [&](auto rows) { return factor(group, rows); }); },
      [&](std::int64_t matrix, std::int64_t at) {
        return at < 0 ? MatrixOutcome{LinAlgFault::not_symmetric, first_unsymmetric_row(a, matrix), true}
                      : MatrixOutcome{LinAlgFault::not_positive_definite, at, true};
      });
}

}  // namespace situ::internal::cpu::detail
