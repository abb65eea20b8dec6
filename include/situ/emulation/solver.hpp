// SPDX-License-Identifier: Apache-2.0
// The solver of the emulation: plain loops as LAPACK's unblocked routines, and Eigen for what iterates, as operations
// of the stream.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cpu/linalg/eigh.hpp>
#include <situ/cpu/linalg/svd.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda::solver {

namespace detail {

/// A matrix that lies by columns.
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
    for (std::int64_t i = j + 1; i < order; ++i) a(i, j) = T(-1);  // the other triangle is in any state
  }
  return 0;
}

/// C := (1 - tau v v^T) C for the reflector in column `k` of A, whose first element, at row k, is 1 unseen.
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
    const Columns<T> c{d.c + matrix * d.c_batch, d.rows};
    // Column j of C is a sum of those of the quotient times column j of op(A), which is upper, or its columns come
    // backwards.
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

/// From rows to columns.
template <class T>
void turn(const std::vector<T>& from, std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) to[i + j * rows] = from[static_cast<std::size_t>(i * columns + j)];
  }
}

/// What iterates says by an exception that it did not converge.
template <class F>
[[nodiscard]] std::int32_t converged(const F& f) {
  try {
    f();
    return 0;
  } catch (const LinAlgError&) {
    return 1;
  }
}

template <class T>
std::int32_t find_eigen(std::int64_t n, Columns<T> a, bool vectors, T* values) {
  // the other triangle is nobody's
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) a(j, i) = a(i, j);
  }
  std::vector<T> found(static_cast<std::size_t>(n * n));
  return converged([&] {
    cpu::find_eigen_of_symmetric(Cpu::backend{}, LinAlgOperation::eigh, program::Matrices<T>{1, n, n, a.data, n, 1},
                                 values, vectors ? found.data() : nullptr);
    if (vectors) turn(found, n, n, a.data);
  });
}

template <class T>
std::int32_t find_singular_values(const Matrices<T>& shape, Columns<T> a, Vectors vectors, T* s, T* u, T* vt) {
  const std::int64_t m = shape.rows, n = shape.columns, columns = vectors == Vectors::full ? m : n;
  const bool wanted = vectors != Vectors::none;
  std::vector<T> left(static_cast<std::size_t>(wanted ? m * columns : 0));
  std::vector<T> right(static_cast<std::size_t>(wanted ? n * n : 0));
  const std::int32_t info = converged([&] {
    cpu::find_singular_values(Cpu::backend{}, LinAlgOperation::svd, program::Matrices<T>{1, m, n, a.data, 1, m},
                              vectors == Vectors::full, wanted ? left.data() : nullptr, s,
                              wanted ? right.data() : nullptr);
    if (!wanted) return;
    turn(left, m, columns, u);
    turn(right, n, n, vt);
  });
  std::fill(a.data, a.data + m * n, T(-1));  // lost
  return info;
}

/// Puts `f` into the backend's stream.
template <class F>
void enqueue(const Backend& backend, const char* name, const F& f) {
  const ObservedWork work(*backend.stream, name);
  check(emulated::enqueue(stream_of(backend), name, f), name, backend.ordinal);
}

}  // namespace detail

inline namespace in_library_situ_cuda_linalg {

template <class T>
void lu(const Backend& backend, const Matrices<T>& a, void* pivots, std::int32_t* info) {
  detail::enqueue(backend, "LU", [=] {
    const std::int64_t steps = std::min(a.rows, a.columns);
    detail::for_each(a, [&](const detail::Columns<T>& x, std::int64_t i) {
      info[i] = has_short_pivots(a) ? detail::factor_lu(a, x, static_cast<std::int32_t*>(pivots) + i * steps)
                                    : detail::factor_lu(a, x, static_cast<std::int64_t*>(pivots) + i * steps);
    });
  });
}

template <class T>
void cholesky(const Backend& backend, const Matrices<T>& a, std::int32_t* info) {
  detail::enqueue(backend, "Cholesky", [=] {
    detail::for_each(a, [&](const detail::Columns<T>& x, std::int64_t i) {
      info[i] = detail::factor_cholesky(a.rows, x);
    });
  });
}

template <class T>
void qr(const Backend& backend, const Matrices<T>& a, T* tau) {
  detail::enqueue(backend, "QR", [=] {
    detail::for_each(a, [&](const detail::Columns<T>& x, std::int64_t i) {
      detail::factor_qr(a, x, tau + i * std::min(a.rows, a.columns));
    });
  });
}

template <class T>
void form_q(const Backend& backend, const Matrices<T>& a, std::int64_t reflectors, const T* tau) {
  detail::enqueue(backend, "Q", [=] {
    detail::for_each(a, [&](const detail::Columns<T>& x, std::int64_t i) {
      detail::form_q_of(a, x, reflectors, tau + i * reflectors);
    });
  });
}

template <class T>
void multiply_by_q(const Backend& backend, const Matrices<T>& a, const T* tau, const Matrices<T>& c) {
  detail::enqueue(backend, "product with Q", [=] {
    detail::for_each(a, [&](const detail::Columns<T>& x, std::int64_t i) {
      detail::multiply_by_q_of(a, x, tau + i * a.columns, c.rows, detail::Columns<T>{c.data + i * c.batch, c.rows});
    });
  });
}

template <class T>
void divide(const Backend& backend, const Division<T>& division) {
  detail::enqueue(backend, "division by a triangle", [=] { detail::divide_on_host(division); });
}

template <class T>
void eigen(const Backend& backend, const Matrices<T>& a, bool vectors, T* values, std::int32_t* info) {
  detail::enqueue(backend, "eigenvalues", [=] {
    detail::for_each(a, [&](const detail::Columns<T>& x, std::int64_t i) {
      info[i] = detail::find_eigen(a.rows, x, vectors, values + i * a.rows);
    });
  });
}

template <class T>
void singular_values(const Backend& backend, const Matrices<T>& a, Vectors vectors, T* s, T* u, T* vt,
                     std::int32_t* info) {
  detail::enqueue(backend, "singular values", [=] {
    const std::int64_t left = a.rows * (vectors == Vectors::full ? a.rows : a.columns);
    const auto advanced = [](T* data, std::int64_t by) { return data == nullptr ? nullptr : data + by; };
    detail::for_each(a, [&](const detail::Columns<T>& x, std::int64_t i) {
      info[i] = detail::find_singular_values(a, x, vectors, s + i * a.columns, advanced(u, i * left),
                                             advanced(vt, i * a.columns * a.columns));
    });
  });
}

}  // namespace in_library_situ_cuda_linalg

}  // namespace situ::internal::cuda::solver

#endif
