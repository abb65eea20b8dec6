// SPDX-License-Identifier: Apache-2.0
// Jacobi rotations of small matrices of a batch, side by side: eigenvalues of symmetric matrices. (A single matrix is
// first reduced to tridiagonal form, which takes fewer operations, but few of them in parallel.)
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

/// The most rows, and the most columns for singular values. A loop over Eigen's solver takes 24, 17 and 6 times as long
/// for n = 3, 4 and 8 with 64-byte registers; the time of the rotations of a sweep grows with the third power of n.
inline constexpr std::int64_t most_rows_rotated_side_by_side = vector_bytes > 16 ? 8 : 4;

/// A rotation by a cosine and a sine.
template <class V>
struct Rotation {
  V c, s;

  [[SITU_INLINE]] void apply(V& x, V& y) const {
    const V turned = c * x - s * y;
    y = mul_add(s, x, c * y);
    x = turned;
  }
};

/// The tangent of the smaller angle by which [[p, off], [off, q]] becomes diagonal, `distance` being q - p; 0 if it
/// already is.
template <class V>
[[nodiscard, SITU_INLINE]] inline V tangent_of(V distance, V off) {
  using T = lane_element_t<V>;
  const V ratio = distance / (off + off);
  const V length = abs(ratio) + sqrt(mul_add(ratio, ratio, V(T(1))));
  return select(off == V(T(0)), V(T(0)), select(ratio < V(T(0)), V(T(-1)), V(T(1))) / length);
}
template <class V>
[[nodiscard, SITU_INLINE]] inline Rotation<V> rotation_of(V tangent) {
  using T = lane_element_t<V>;
  const V c = V(T(1)) / sqrt(mul_add(tangent, tangent, V(T(1))));
  return {c, tangent * c};
}

/// Diagonalizes symmetric matrices, reading the lower triangle; the diagonal becomes the eigenvalues, and `v`, unless
/// it is null, becomes `v` times the eigenvectors. Nonzero in the lanes where off-diagonal elements are left.
template <class V, class Rows>
[[nodiscard, SITU_INLINE]] inline V diagonalise(V* m, Rows rows, V allowed, V* v) {
  using T = lane_element_t<V>;
  constexpr int most_sweeps = 24;
  const std::int64_t n = rows;
  const auto at = [&](std::int64_t i, std::int64_t j) -> V& { return m[std::max(i, j) * n + std::min(i, j)]; };
  V left(T(0));
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    left = V(T(0));
    for (std::int64_t q = 1; q < n; ++q) {
      for (std::int64_t p = 0; p < q; ++p) left = select(abs(at(p, q)) > allowed, V(T(1)), left);
    }
    if (!any_lane(left)) break;
    for (std::int64_t q = 1; q < n; ++q) {
      for (std::int64_t p = 0; p < q; ++p) {
        const V off = at(p, q);
        // a matrix that has converged is not rotated: its bits do not depend on the others
        const V tangent = select(left == V(T(0)), left, tangent_of(at(q, q) - at(p, p), off));
        const Rotation<V> rotation = rotation_of(tangent);
        at(p, p) = at(p, p) - tangent * off;
        at(q, q) = mul_add(tangent, off, at(q, q));
        at(p, q) = V(T(0));
        for (std::int64_t j = 0; j < n; ++j) {
          if (j != p && j != q) rotation.apply(at(j, p), at(j, q));
        }
        for (std::int64_t j = 0; v != nullptr && j < n; ++j) rotation.apply(v[j * n + p], v[j * n + q]);
      }
    }
  }
  return left;
}

/// Swaps `x` and `y` where the mask is true.
template <class V, class M>
[[SITU_INLINE]] inline void exchange_where(M exchanged, V& x, V& y) {
  const V first = select(exchanged, y, x);
  y = select(exchanged, x, y);
  x = first;
}

/// Sorts `n` values in ascending order; `also(exchanged, i)` applies the swap of values `i` and `i + 1` to their
/// vectors.
template <class V, class F>
[[SITU_INLINE]] inline void sort_values(V* w, std::int64_t n, const F& also) {
  for (std::int64_t end = n - 1; end > 0; --end) {
    for (std::int64_t i = 0; i < end; ++i) {
      const auto exchanged = w[i + 1] < w[i];
      exchange_where(exchanged, w[i], w[i + 1]);
      also(exchanged, i);
    }
  }
}

/// Eigenvalues, and unless `v` is null eigenvectors. `otherwise(i)` handles a matrix that is asymmetric or not finite,
/// or does not converge: it computes the result, or reports that there is none.
template <class T, class F>
void eigen_side_by_side(LinAlgOperation operation, const program::Matrices<T>& a, T* w, T* v, const F& otherwise) {
  using V = Group<T>;
  const auto find = [&](std::int64_t group, auto rows) {
    const std::int64_t n = rows;
    GroupRoom<V, decltype(rows), decltype(rows)> room(rows, rows), vectors(rows, rows);
    V* const m = room.elements();
    V* const x = v == nullptr ? nullptr : vectors.elements();
    load_group(a, rows, rows, group, m, n);
    V largest(T(0)), furthest(T(0)), poison(T(0));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        const V lower = m[i * n + j];
        const V apart = abs(lower - m[j * n + i]);
        poison = mul_add(apart, V(T(0)), poison);
        largest = select(abs(lower) > largest, abs(lower), largest);
        furthest = select(apart > furthest, apart, furthest);
      }
      for (std::int64_t j = 0; v != nullptr && j < n; ++j) x[i * n + j] = V(T(i == j ? 1 : 0));
    }
    V doubtful = diagonalise(m, rows, V(std::numeric_limits<T>::epsilon() / 4) * largest, x);
    doubtful = select(poison == V(T(0)), doubtful, V(T(1)));
    doubtful = select(furthest > V(symmetry_tolerance<T>) * largest, V(T(1)), doubtful);
    // rotations may make it infinite
    doubtful = select(largest < V(std::numeric_limits<T>::max() * T(0x1p-5)), doubtful, V(T(1)));
    V values[std::size_t{most_rows_rotated_side_by_side}];
    for (std::int64_t i = 0; i < n; ++i) values[i] = m[i * n + i];
    sort_values(values, n, [&](auto exchanged, std::int64_t i) {
      for (std::int64_t j = 0; v != nullptr && j < n; ++j) exchange_where(exchanged, x[j * n + i], x[j * n + i + 1]);
    });
    store_group(values, 1, rows, std::integral_constant<std::int64_t, 1>{}, group, a.count, w);
    if (v != nullptr) store_group(x, n, rows, rows, group, a.count, v);
    return doubtful;
  };
  for_each_group(
      operation, a, (v == nullptr ? 20 : 40) * a.rows * a.rows * a.rows,
      [&](std::int64_t group) { return with_extent(a.rows, [&](auto rows) { return find(group, rows); }); },
      [&](std::int64_t matrix, std::int64_t) { return otherwise(matrix); });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
