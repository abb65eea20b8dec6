// SPDX-License-Identifier: Apache-2.0
// Singular values of small matrices of a batch, side by side, by Hestenes' one-sided rotations: they make the columns
// of A V orthogonal, whose lengths are the singular values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/linalg/groups.hpp>
#include <situ/cpu/linalg/jacobi.hpp>
#include <situ/cpu/linalg/side_by_side.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Makes the columns of `rows` x `columns` orthogonal; `v`, unless it is null, becomes `v` times the rotations. Nonzero
/// in the lanes where they are not orthogonal.
template <class V, class Rows, class Columns>
[[nodiscard, SITU_INLINE]] inline V orthogonalise(V* m, Rows rows, Columns columns, V* v) {
  using T = lane_element_t<V>;
  constexpr int most_sweeps = 24;
  const std::int64_t n = columns;
  const V allowed(static_cast<T>(rows) * std::numeric_limits<T>::epsilon());
  V active(T(1));  // a converged matrix is not rotated: its bits do not depend on the others
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    V left(T(0));
    for (std::int64_t q = 1; q < n; ++q) {
      for (std::int64_t p = 0; p < q; ++p) {
        V first(T(0)), second(T(0)), product(T(0));
        for (std::int64_t i = 0; i < rows; ++i) {
          const V x = m[i * n + p], y = m[i * n + q];
          first = mul_add(x, x, first);
          second = mul_add(y, y, second);
          product = mul_add(x, y, product);
        }
        left = select(abs(product) > allowed * sqrt(first) * sqrt(second), active, left);
        const V tangent = select(active == V(T(0)), active, tangent_of(second - first, product));
        const Rotation<V> rotation = rotation_of(tangent);
        for (std::int64_t i = 0; i < rows; ++i) rotation.apply(m[i * n + p], m[i * n + q]);
        for (std::int64_t i = 0; v != nullptr && i < n; ++i) rotation.apply(v[i * n + p], v[i * n + q]);
      }
    }
    active = left;
    if (!any_lane(active)) break;
  }
  return active;
}

/// Singular values, and unless `u` is null vectors; wide matrices are transposed. `otherwise(i)` handles a matrix that
/// is not finite, has a singular value of 0 or values too large or small to be squared, or does not converge.
template <class T, class F>
void singular_values_side_by_side(LinAlgOperation operation, const program::Matrices<T>& a, T* u, T* s, T* vh,
                                  const F& otherwise) {
  using V = Group<T>;
  const bool wide = a.columns > a.rows;
  const program::Matrices<T> tall =
      wide ? program::Matrices<T>{a.count, a.columns, a.rows, a.data, a.column, a.row, a.batch} : a;
  const auto find = [&](std::int64_t group, auto rows, auto columns) {
    const std::int64_t m = rows;
    const std::int64_t n = columns;
    using Room = GroupRoom<V, decltype(rows), decltype(columns)>;
    Room room(rows, columns), vectors(columns, columns), written(rows, columns);
    V* const left = room.elements();
    V* const right = u == nullptr ? nullptr : vectors.elements();
    load_group(tall, rows, columns, group, left, n);
    for (std::int64_t i = 0; u != nullptr && i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) right[i * n + j] = V(T(i == j ? 1 : 0));
    }
    V doubtful = orthogonalise(left, rows, columns, right);
    V values[std::size_t{most_rows_rotated_side_by_side}];
    for (std::int64_t j = 0; j < n; ++j) {
      V squares(T(0));
      for (std::int64_t i = 0; i < m; ++i) squares = mul_add(left[i * n + j], left[i * n + j], squares);
      doubtful = select(squares > V(std::numeric_limits<T>::min() * T(0x1p40)), doubtful, V(T(1)));
      doubtful = select(squares < V(std::numeric_limits<T>::max() * T(0x1p-8)), doubtful, V(T(1)));
      const V length = sqrt(squares);
      values[j] = -length;
      for (std::int64_t i = 0; u != nullptr && i < m; ++i) left[i * n + j] = left[i * n + j] / length;
    }
    sort_values(values, n, [&](auto exchanged, std::int64_t i) {
      if (u == nullptr) return;
      for (std::int64_t j = 0; j < m; ++j) exchange_where(exchanged, left[j * n + i], left[j * n + i + 1]);
      for (std::int64_t j = 0; j < n; ++j) exchange_where(exchanged, right[j * n + i], right[j * n + i + 1]);
    });
    for (std::int64_t j = 0; j < n; ++j) values[j] = -values[j];
    store_group(values, 1, columns, std::integral_constant<std::int64_t, 1>{}, group, a.count, s);
    if (u == nullptr) return doubtful;
    const auto transposed = [&](const V* x, auto extent) {
      for (std::int64_t i = 0; i < extent; ++i) {
        for (std::int64_t j = 0; j < n; ++j) written.elements()[j * extent + i] = x[i * n + j];
      }
      return written.elements();
    };
    if (wide) {
      store_group(right, n, columns, columns, group, a.count, u);
      store_group(transposed(left, m), m, columns, rows, group, a.count, vh);
    } else {
      store_group(left, n, rows, columns, group, a.count, u);
      store_group(transposed(right, n), n, columns, columns, group, a.count, vh);
    }
    return doubtful;
  };
  for_each_group(
      operation, a, (u == nullptr ? 20 : 40) * tall.rows * tall.columns * tall.columns,
      [&](std::int64_t group) {
        if (tall.rows != tall.columns) return find(group, tall.rows, tall.columns);
        return with_extent(tall.rows, [&](auto n) { return find(group, n, n); });
      },
      [&](std::int64_t matrix, std::int64_t) { return otherwise(matrix); });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
