// SPDX-License-Identifier: Apache-2.0
// Small matrices of a batch, side by side: a register holds one element of several matrices, so that all arithmetic
// uses whole registers for any matrix size, and rows are swapped by selection instead of branches. (One at a time with
// Eigen, 2/3 of the time for 3 x 3 is memory allocation.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/linalg/arrangement.hpp>
#include <situ/cpu/linalg/groups.hpp>
#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/symmetric.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Gaussian elimination with partial pivoting of `rows` x `width`, with the right-hand sides beside the matrices.
/// Returns the determinants.
template <class Form, class Rows>
[[SITU_INLINE]] inline typename Form::Element eliminate(typename Form::Element* m, Rows rows, std::int64_t width,
                                                        std::int64_t stride) {
  using V = typename Form::Element;
  const std::int64_t n = rows;
  V product = Form::constant(1);
  for (std::int64_t c = 0; c < n; ++c) {
    V* const top = m + c * stride;
    for (std::int64_t r = c + 1; r < n; ++r) Form::exchange(top, m + r * stride, c, width, product);
    const V pivot = top[c];
    product = product * pivot;
    for (std::int64_t r = c + 1; r < n; ++r) {
      V* const row = m + r * stride;
      const V factor = row[c] / pivot;
      for (std::int64_t j = Form::begin(c + 1); j < width; j += Form::step) {
        Form::store(row + j, Form::load(row + j) - factor * Form::load(top + j));
      }
    }
  }
  return product;
}

/// The number, from 1, of each matrix' first pivot for which `good(pivot)` is false; 0 if there is none.
template <class Form, class F>
[[nodiscard, SITU_INLINE]] inline typename Form::Element first_pivot_not(const typename Form::Element* m,
                                                                         std::int64_t rows, std::int64_t stride,
                                                                         const F& good) {
  typename Form::Element at{};
  for (std::int64_t c = rows - 1; c >= 0; --c) {
    at = good(m[c * stride + c]) ? at : Form::constant(static_cast<typename Form::Number>(c + 1));
  }
  return at;
}

/// The solutions, in place of the right-hand sides, from the result of `eliminate`. (The unknown found last is used
/// last, so nothing waits for it.)
template <class Form, class Rows>
[[SITU_INLINE]] inline void substitute_back(typename Form::Element* m, Rows rows, std::int64_t width,
                                            std::int64_t stride) {
  const std::int64_t n = rows;
  for (std::int64_t r = n - 1; r >= 0; --r) {
    auto* const row = m + r * stride;
    for (std::int64_t j = n; j < width; j += Form::step) {
      auto rest = Form::load(row + j);
      for (std::int64_t c = n - 1; c > r; --c) rest = rest - row[c] * Form::load(m + c * stride + j);
      Form::store(row + j, rest / row[r]);
    }
  }
}

/// The Cholesky factor in place of the lower triangle: a leading minor that is not positive leaves 0 or NaN on the
/// diagonal.
template <class Form, class Rows>
[[SITU_INLINE]] inline void factor_in_place(typename Form::Element* m, Rows rows) {
  using V = typename Form::Element;
  const std::int64_t n = rows;
  for (std::int64_t c = 0; c < n; ++c) {
    const V root = Form::square_root(m[c * n + c]);
    m[c * n + c] = root;
    for (std::int64_t r = c + 1; r < n; ++r) m[r * n + c] = m[r * n + c] / root;
    for (std::int64_t r = c + 1; r < n; ++r) {
      for (std::int64_t j = c + 1; j <= r; ++j) m[r * n + j] = m[r * n + j] - m[r * n + c] * m[j * n + c];
    }
  }
}

/// `f(group)` for the groups of a batch; or `f(form, group)`, and `f(form, matrix)` for each matrix if so few are left
/// that this is faster: with 64-byte registers, a system of 9, 16 and 24 floats alone takes 0.43, 0.23 and 0.16 of the
/// time of a group. `f` returns 0 for each matrix on success; for others `outcome(matrix, result of f)` tells more, and
/// may still compute the result. Then throws the `LinAlgError` of the first that has failed.
template <class T, class F, class Outcome>
void for_each_group(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t operations, const F& f,
                    const Outcome& outcome) {
  constexpr std::int64_t size = Group<T>::count;
  constexpr std::int64_t few = std::max<std::int64_t>(1, size / 8);
  constexpr bool takes_one = std::is_invocable_v<const F&, Alone<T>, std::int64_t>;
  FirstFailure failure;
  const auto look = [&](std::int64_t i, T gave) {
    const auto found = static_cast<std::int64_t>(gave);
    if (found == 0) return;
    if (const MatrixOutcome matrix = outcome(i, found); matrix.failed) failure.report(i, matrix);
  };
  for_ranges_of_matrices((a.count - 1) / size + 1, operations * size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t group = begin; group < end; ++group) {
      const std::int64_t first = group * size;
      const std::int64_t last = std::min(first + size, a.count);
      if constexpr (takes_one) {
        if (last - first <= few) {
          for (std::int64_t i = first; i < last; ++i) look(i, f(Alone<T>{}, i));
          continue;
        }
      }
      const auto gave = [&] {
        if constexpr (takes_one) return f(SideBySide<T>{}, group);
        else return f(group);
      }();
      for (std::int64_t i = first; i < last; ++i) look(i, gave[static_cast<int>(i - first)]);
    }
  });
  failure.throw_if_any(operation, a);
}

/// Whether `solve_side_by_side` accepts systems of this size.
[[nodiscard]] inline bool fits_side_by_side(std::int64_t rows, std::int64_t sides) {
  return std::max(rows, sides) <= most_rows_of_systems_side_by_side;
}

/// X of A X = B; the function `b(form, rows, sides, at, to, stride)` writes the right-hand sides.
template <class T, class B>
void solve_side_by_side(LinAlgOperation operation, const program::Matrices<T>& a, std::int64_t sides, const B& b,
                        T* x) {
  const auto solve = [&](auto form, std::int64_t at, auto rows, auto beside, auto width) {
    using Form = decltype(form);
    const auto stride = Form::stride(width);
    typename Form::template Room<decltype(rows), decltype(stride)> room(rows, stride);
    auto* const m = room.elements();
    Form::read(a, rows, rows, at, m, stride);
    b(form, rows, beside, at, m + rows, stride);
    eliminate<Form>(m, rows, width, stride);
    substitute_back<Form>(m, rows, width, stride);
    Form::write(m + rows, stride, rows, beside, at, a.count, x);
    const typename Form::Element zero{};  // (inside the lambda, it is an internal error of nvcc 13.0)
    return first_pivot_not<Form>(m, rows, stride, [zero](const auto& pivot) { return pivot != zero; });
  };
  for_each_group(
      operation, a, a.rows * a.rows * (a.rows + sides),
      [&](auto form, std::int64_t at) {
        if constexpr (decltype(form)::step == 1) {
          return with_extent(a.rows, [&](auto rows) {
            if constexpr (!std::is_same_v<decltype(rows), std::int64_t>) {
              if (sides == 1) {
                return solve(form, at, rows, std::integral_constant<std::int64_t, 1>{},
                             std::integral_constant<std::int64_t, rows + 1>{});
              }
            }
            return solve(form, at, a.rows, sides, a.rows + sides);
          });
        } else {
          return solve(form, at, a.rows, sides, a.rows + sides);
        }
      },
      [](std::int64_t, std::int64_t at) { return MatrixOutcome{LinAlgFault::singular, at, true}; });
}

/// One determinant per matrix.
template <class T>
void determinants_side_by_side(const program::Matrices<T>& a, T* out) {
  const auto determinant = [&](auto form, std::int64_t at, auto rows) {
    using Form = decltype(form);
    using V = typename Form::Element;
    const auto stride = Form::stride(rows);
    typename Form::template Room<decltype(rows), decltype(stride)> room(rows, stride);
    V* const m = room.elements();
    Form::read(a, rows, rows, at, m, stride);
    V product = eliminate<Form>(m, rows, rows, stride);
    const V zero{};
    const V at_zero = first_pivot_not<Form>(m, rows, stride, [zero](const V& pivot) { return pivot != zero; });
    // after a pivot of 0, others are NaN
    product = at_zero > zero ? zero : product;
    constexpr std::integral_constant<std::int64_t, 1> one;
    Form::write(&product, 1, one, one, at, a.count, out);
    return V{};
  };
  for_each_group(
      LinAlgOperation::det, a, a.rows * a.rows * a.rows,
      [&](auto form, std::int64_t at) {
        if constexpr (decltype(form)::step == 1) {
          return with_extent(a.rows, [&](auto rows) { return determinant(form, at, rows); });
        } else {
          return determinant(form, at, a.rows);
        }
      },
      [](std::int64_t, std::int64_t) { return MatrixOutcome{}; });
}

/// The Cholesky factor; `checked`: of a matrix that is checked for symmetry.
template <class T>
void cholesky_side_by_side(const program::Matrices<T>& a, bool checked, T* l) {
  const auto factor = [&](auto form, std::int64_t at, auto rows) {
    using Form = decltype(form);
    using V = typename Form::Element;
    const std::int64_t n = rows;
    typename Form::template Room<decltype(rows), decltype(rows)> room(rows, rows);
    V* const m = room.elements();
    Form::read(a, rows, rows, at, m, n);
    V largest{}, furthest{};
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        const V lower = m[i * n + j];
        const V size = Form::magnitude(lower);
        largest = size > largest ? size : largest;
        if (!checked || i == j) continue;
        const V apart = Form::magnitude(lower - m[j * n + i]);
        furthest = apart > furthest ? apart : furthest;
      }
    }
    factor_in_place<Form>(m, rows);
    const V zero{};
    const V pivot = first_pivot_not<Form>(m, n, n, [zero](const V& x) { return x > zero; });
    for (std::int64_t i = 0; i < n; ++i) std::fill(m + i * n + i + 1, m + (i + 1) * n, V{});
    Form::write(m, n, rows, rows, at, a.count, l);
    return furthest > symmetry_tolerance<T> * largest ? Form::constant(-1) : pivot;
  };
  for_each_group(
      LinAlgOperation::cholesky, a, a.rows * a.rows * a.rows / 3,
      [&](auto form, std::int64_t at) {
        if constexpr (decltype(form)::step == 1) {
          return with_extent(a.rows, [&](auto rows) { return factor(form, at, rows); });
        } else {
          return factor(form, at, a.rows);
        }
      },
      [&](std::int64_t matrix, std::int64_t at) {
        return at < 0 ? MatrixOutcome{LinAlgFault::not_symmetric, first_unsymmetric_row(a, matrix), true}
                      : MatrixOutcome{LinAlgFault::not_positive_definite, at, true};
      });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
