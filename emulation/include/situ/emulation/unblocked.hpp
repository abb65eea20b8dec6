// SPDX-License-Identifier: Apache-2.0
// Factorizations of column-major matrices, like LAPACK's unblocked routines: plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/cuda/linalg/parts.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda::solver::detail {

/// A column-major matrix.
template <class T>
struct Columns {
  T* data;
  std::int64_t ld;

  [[nodiscard]] T& operator()(std::int64_t row, std::int64_t column) const { return data[row + column * ld]; }
};

/// Calls `f(columns, i)` for each matrix.
template <class T, class F>
void for_each(const Matrices<T>& a, const F& f) {
  for (std::int64_t i = 0; i < a.count; ++i) f(Columns<T>{a.data + i * a.batch, a.rows}, i);
}

template <class T, class Pivot>
std::int32_t factor_lu(const Matrices<T>& shape, Columns<T> a, Pivot* pivots) {
  std::int32_t singular = 0;
  for (std::int64_t k = 0; k < std::min(shape.rows, shape.columns); ++k) {
    std::int64_t largest = k;
    for (std::int64_t i = k + 1; i < shape.rows; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(largest, k))) largest = i;
    }
    pivots[k] = static_cast<Pivot>(largest + 1);
    if (a(largest, k) == 0) {
      if (singular == 0) singular = static_cast<std::int32_t>(k + 1);
      continue;
    }
    for (std::int64_t j = 0; j < shape.columns; ++j) std::swap(a(k, j), a(largest, j));
    for (std::int64_t i = k + 1; i < shape.rows; ++i) a(i, k) /= a(k, k);
    for (std::int64_t j = k + 1; j < shape.columns; ++j) {
      for (std::int64_t i = k + 1; i < shape.rows; ++i) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return singular;
}

template <class T>
std::int32_t factor_cholesky(std::int64_t order, Columns<T> a) {
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) {
      T rest = a(i, j);
      for (std::int64_t k = 0; k < i; ++k) rest -= a(k, i) * a(k, j);
      if (i == j && !(rest > 0)) return static_cast<std::int32_t>(j + 1);
      a(i, j) = i == j ? std::sqrt(rest) : rest / a(i, i);
    }
    for (std::int64_t i = j + 1; i < order; ++i) a(i, j) = T(-1);  // the other triangle is undefined
  }
  return 0;
}

/// C := (1 - tau v v^T) C for the reflector in column `k` of A, whose first element, at row k, is an implicit 1.
template <class T>
void reflect(Columns<T> a, std::int64_t rows, std::int64_t k, T tau, Columns<T> c, std::int64_t first,
             std::int64_t end) {
  for (std::int64_t j = first; j < end; ++j) {
    T sum = c(k, j);
    for (std::int64_t i = k + 1; i < rows; ++i) sum += a(i, k) * c(i, j);
    sum *= tau;
    c(k, j) -= sum;
    for (std::int64_t i = k + 1; i < rows; ++i) c(i, j) -= a(i, k) * sum;
  }
}

template <class T>
void factor_qr(const Matrices<T>& shape, Columns<T> a, T* tau) {
  for (std::int64_t k = 0; k < std::min(shape.rows, shape.columns); ++k) {
    T below = 0;
    for (std::int64_t i = k + 1; i < shape.rows; ++i) below = std::hypot(below, a(i, k));
    tau[k] = 0;
    if (below == 0) continue;
    const T beta = -std::copysign(std::hypot(a(k, k), below), a(k, k));
    tau[k] = (beta - a(k, k)) / beta;
    for (std::int64_t i = k + 1; i < shape.rows; ++i) a(i, k) /= a(k, k) - beta;
    a(k, k) = beta;
    reflect(a, shape.rows, k, tau[k], a, k + 1, shape.columns);
  }
}

template <class T>
void form_q_of(const Matrices<T>& shape, Columns<T> a, std::int64_t reflectors, const T* tau) {
  const auto size = static_cast<std::size_t>(shape.rows * shape.columns);
  std::vector<T> q(size);
  const Columns<T> made{q.data(), shape.rows};
  for (std::int64_t j = 0; j < shape.columns; ++j) made(j, j) = 1;
  for (std::int64_t k = reflectors; k-- > 0;) reflect(a, shape.rows, k, tau[k], made, 0, shape.columns);
  std::copy(q.begin(), q.end(), a.data);
}

/// C Q is (Q^T C^T)^T, and Q^T applies the reflectors in order.
template <class T>
void multiply_by_q_of(const Matrices<T>& shape, Columns<T> a, const T* tau, std::int64_t c_rows, Columns<T> c) {
  std::vector<T> turned(static_cast<std::size_t>(c_rows * shape.rows));
  const Columns<T> t{turned.data(), shape.rows};
  for (std::int64_t i = 0; i < c_rows; ++i) {
    for (std::int64_t j = 0; j < shape.rows; ++j) t(j, i) = c(i, j);
  }
  for (std::int64_t k = 0; k < shape.columns; ++k) reflect(a, shape.rows, k, tau[k], t, 0, c_rows);
  for (std::int64_t i = 0; i < c_rows; ++i) {
    for (std::int64_t j = 0; j < shape.rows; ++j) c(i, j) = t(j, i);
  }
}

template <class T>
void divide_on_host(const Division<T>& d) {
  for (std::int64_t matrix = 0; matrix < d.count; ++matrix) {
    const Columns<const T> a{d.triangle + matrix * d.triangle_batch, d.triangle_ld};
    const Columns<T> c{d.c + matrix * d.c_batch, d.c_ld};
    // Column j of C is the sum of the quotient's columns times column j of op(A), which is upper triangular; if not,
    // columns are processed backwards.
    const bool forwards = d.upper != d.transposed;
    for (std::int64_t step = 0; step < d.order; ++step) {
      const std::int64_t j = forwards ? step : d.order - 1 - step;
      for (std::int64_t done = 0; done < step; ++done) {
        const std::int64_t k = forwards ? done : d.order - 1 - done;
        const T factor = d.transposed ? a(j, k) : a(k, j);
        for (std::int64_t i = 0; i < d.rows; ++i) c(i, j) -= c(i, k) * factor;
      }
      if (d.unit) continue;
      for (std::int64_t i = 0; i < d.rows; ++i) c(i, j) /= a(j, j);
    }
  }
}

}  // namespace situ::internal::cuda::solver::detail

#endif
