// SPDX-License-Identifier: Apache-2.0
// Small matrices of a batch, side by side: a register holds one element of several matrices, so that all arithmetic is
// on whole registers whatever the size of a matrix, and rows are exchanged by selection, not by branches. (One at a
// time by Eigen, two thirds of the time of 3 x 3 is memory that is had and given back.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/error.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/symmetric.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::cpu::detail {

/// Up to this many rows, and right-hand sides. Beyond, what Eigen has within a matrix fills registers as well: with
/// those of 16 bytes, a loop over Eigen's LU took 7, 5.5, 3.3, 1.4 and 1 times as long for n = 2, 3, 4, 8 and 12.
inline constexpr std::int64_t most_rows_side_by_side = vector_bytes > 16 ? 16 : 8;

template <class T>
using Group = Lanes<T, vector_bytes / static_cast<int>(sizeof(T))>;

/// `f(n)`, where 2, 3 and 4 are types that say the number: these are compiled by themselves, without loops.
template <class F>
decltype(auto) with_extent(std::int64_t n, const F& f) {
  switch (n) {
    case 2: return f(std::integral_constant<std::int64_t, 2>{});
    case 3: return f(std::integral_constant<std::int64_t, 3>{});
    case 4: return f(std::integral_constant<std::int64_t, 4>{});
    default: return f(n);
  }
}

/// Room for `rows` x `columns` registers: for what is known to the compiler, else for the most there can be.
template <class V, class Rows, class Columns>
struct GroupRoom {
  static constexpr std::size_t size = 2 * most_rows_side_by_side * most_rows_side_by_side;
  V elements[size];
};
template <class V, std::int64_t rows, std::int64_t columns>
struct GroupRoom<V, std::integral_constant<std::int64_t, rows>, std::integral_constant<std::int64_t, columns>> {
  V elements[static_cast<std::size_t>(rows * columns)];
};

/// A group of the matrices of an operand. Behind the last stands the last again.
template <class T>
class GroupOperand {
 public:
  GroupOperand(const program::Matrices<T>& a, std::int64_t group) : row_(a.row), column_(a.column) {
    for (int i = 0; i < Group<T>::count; ++i) {
      from_[i] = a.data + std::min(group * Group<T>::count + i, a.count - 1) * a.batch;
    }
  }
  [[nodiscard, gnu::always_inline]] Group<T> operator()(std::int64_t i, std::int64_t j) const {
    const std::int64_t at = i * row_ + j * column_;
    Group<T> x;
    x.part[0] = native::each<typename Group<T>::Register>([&](int k) { return from_[k][at]; });
    return x;
  }

 private:
  const T* from_[Group<T>::count];
  std::int64_t row_, column_;
};

/// Writes element `at` of results of `size` elements for those of `count` matrices that are in the group.
template <class T>
[[gnu::always_inline]] inline void store_group(T* out, std::int64_t group, std::int64_t count, std::int64_t size,
                                               std::int64_t at, Group<T> x) {
  const std::int64_t first = group * Group<T>::count;
  T* const to = out + first * size + at;
  const auto valid = static_cast<int>(std::min<std::int64_t>(Group<T>::count, count - first));
  for (int i = 0; i < valid; ++i) to[i * size] = x[i];
}

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

/// `f(group)` for the groups of a batch, which gives 0 for each matrix where all is well. Throws the `LinAlgError` of
/// the first matrix where it is not, of which `outcome(matrix, what f gave)` says more.
template <class T, class F, class Outcome>
void for_each_group(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t operations, const F& f,
                    const Outcome& outcome) {
  constexpr int size = Group<T>::count;
  const auto first_of = [&](std::int64_t group, Group<T> at) -> std::int64_t {
    for (std::int64_t i = 0; i < std::min<std::int64_t>(size, a.count - group * size); ++i) {
      if (at[static_cast<int>(i)] != T(0)) return i;
    }
    return -1;
  };
  const std::int64_t group = first_failing(
      (a.count - 1) / size + 1, operations * size, [] { return 0; },
      [&](int, std::int64_t i) { return first_of(i, f(i)) >= 0; });
  if (group < 0) return;
  const Group<T> at = f(group);
  const std::int64_t matrix = group * size + first_of(group, at);
  const MatrixOutcome found = outcome(matrix, static_cast<std::int64_t>(at[static_cast<int>(matrix - group * size)]));
  throw LinAlgError(linalg_message(operation, found.fault, found.at, matrix, a.count, a.rows, a.columns));
}

/// Whether `solve_side_by_side` takes systems of this size.
[[nodiscard]] inline bool fits_side_by_side(std::int64_t rows, std::int64_t sides) {
  return rows <= most_rows_side_by_side && sides <= most_rows_side_by_side;
}

/// X of A X = B, `b(group)` being a function of row and column that gives the right-hand sides.
template <class T, class B>
void solve_side_by_side(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t sides, const B& b,
                        T* x) {
  using V = Group<T>;
  const auto solve = [&](std::int64_t group, auto rows, auto columns) {
    const std::int64_t n = rows;
    const std::int64_t width = columns;
    GroupRoom<V, decltype(rows), decltype(columns)> room;
    V* const m = room.elements;
    const GroupOperand<T> left(a, group);
    const auto right = b(group);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) m[i * width + j] = left(i, j);
      for (std::int64_t j = n; j < width; ++j) m[i * width + j] = right(i, j - n);
    }
    eliminate(m, rows, columns);
    substitute_back(m, rows, columns);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = n; j < width; ++j) {
        store_group(x, group, a.count, n * (width - n), i * (width - n) + j - n, m[i * width + j]);
      }
    }
    return first_pivot_not(m, n, width, [](V pivot) { return pivot != V(T(0)); });
  };
  for_each_group(
      operation, a, a.rows * a.rows * (a.rows + sides),
      [&](std::int64_t group) {
        return with_extent(a.rows, [&](auto rows) {
          if constexpr (!std::is_same_v<decltype(rows), std::int64_t>) {
            if (sides == 1) return solve(group, rows, std::integral_constant<std::int64_t, rows + 1>{});
          }
          return solve(group, a.rows, a.rows + sides);
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
          const GroupOperand<T> left(a, group);
          const std::int64_t n = rows;
          for (std::int64_t i = 0; i < n * n; ++i) room.elements[i] = left(i / n, i % n);
          const V product = eliminate(room.elements, rows, rows);
          const V zero = first_pivot_not(room.elements, n, n, [](V pivot) { return pivot != V(T(0)); });
          // behind a pivot of 0 stand others that are NaN
          store_group(out, group, a.count, 1, 0, select(zero > V(T(0)), V(T(0)), product));
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
    const GroupOperand<T> from(a, group);
    V largest(T(0));
    V furthest(T(0));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        const V lower = m[i * n + j] = from(i, j);
        if (!checked || i == j) continue;
        const V apart = abs(lower - from(j, i));
        furthest = select(apart > furthest, apart, furthest);
      }
      for (std::int64_t j = 0; j <= i; ++j) largest = select(abs(m[i * n + j]) > largest, abs(m[i * n + j]), largest);
    }
    cholesky_of_group(m, rows);
    const V at = first_pivot_not(m, n, n, [](V pivot) { return pivot > V(T(0)); });
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        store_group(l, group, a.count, n * n, i * n + j, j <= i ? m[i * n + j] : V(T(0)));
      }
    }
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
