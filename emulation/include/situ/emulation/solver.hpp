// SPDX-License-Identifier: Apache-2.0
// The solver of the emulation: plain loops, and Eigen for iterative methods, as stream operations. It calls batched
// routines where src/cuda/linalg/solver.cpp does, and in the same parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cpu/linalg/eigh.hpp>
#include <situ/cpu/linalg/svd.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/device/cpu.hpp>
#include <situ/emulation/solver_calls.hpp>
#include <situ/emulation/unblocked.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda::solver {

namespace detail {

/// From row-major to column-major.
template <class T>
void turn(const std::vector<T>& from, std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) to[i + j * rows] = from[static_cast<std::size_t>(i * columns + j)];
  }
}

/// Iterative methods throw if they do not converge.
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
  // the other triangle is undefined
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
  std::fill(a.data, a.data + m * n, T(-1));  // destroyed
  return info;
}

template <class T>
[[nodiscard]] T* advanced(T* data, std::int64_t by) {
  return data == nullptr ? nullptr : data + by;
}

template <class T, class Pivot>
void factor_lu_of_each(const Matrices<T>& a, Pivot* pivots, std::int32_t* info) {
  for_each(a, [&](const Columns<T>& x, std::int64_t i) {
    info[i] = factor_lu(a, x, pivots + i * std::min(a.rows, a.columns));
  });
}
template <class T>
void factor_cholesky_of_each(const Matrices<T>& a, std::int32_t* info) {
  for_each(a, [&](const Columns<T>& x, std::int64_t i) { info[i] = factor_cholesky(a.rows, x); });
}
template <class T>
void find_eigen_of_each(const Matrices<T>& a, bool vectors, T* values, std::int32_t* info) {
  for_each(a,
           [&](const Columns<T>& x, std::int64_t i) { info[i] = find_eigen(a.rows, x, vectors, values + i * a.rows); });
}
/// Without vectors `u` and `vt` are null.
template <class T>
void find_singular_values_of_each(const Matrices<T>& a, Vectors vectors, T* s, T* u, T* vt, std::int32_t* info) {
  const std::int64_t left = a.rows * (vectors == Vectors::full ? a.rows : a.columns);
  for_each(a, [&](const Columns<T>& x, std::int64_t i) {
    info[i] = find_singular_values(a, x, vectors, s + i * a.columns, advanced(u, i * left),
                                   advanced(vt, i * a.columns * a.columns));
  });
}

}  // namespace detail

inline namespace in_library_situ_cuda_linalg {

template <class T>
void lu(const Backend& backend, const Matrices<T>& a, void* pivots, std::int32_t* info) {
  const ObservedWork work(*backend.stream, "LU");
  if (!has_short_pivots(a)) {
    detail::enqueue(backend, "cusolverDnXgetrf",
                    [=] { detail::factor_lu_of_each(a, static_cast<std::int64_t*>(pivots), info); });
    return;
  }
  for_parts(a.count, most_matrices, [&](std::int64_t first, std::int64_t count) {
    detail::call_batched(backend, detail::getrf_batched, count, 1, [=] {
      detail::factor_lu_of_each(a.part(first, count), static_cast<std::int32_t*>(pivots) + first * a.rows,
                                info + first);
    });
  });
}

template <class T>
void cholesky(const Backend& backend, const Matrices<T>& a, std::int32_t* info) {
  const ObservedWork work(*backend.stream, "Cholesky");
  if (!in_batches(a.rows, a.count)) {
    detail::enqueue(backend, "cusolverDnXpotrf", [=] { detail::factor_cholesky_of_each(a, info); });
    return;
  }
  for_parts(a.count, most_matrices, [&](std::int64_t first, std::int64_t count) {
    detail::call_batched(backend, detail::potrf_batched, count, 1,
                         [=] { detail::factor_cholesky_of_each(a.part(first, count), info + first); });
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
  const ObservedWork work(*backend.stream, "division by a triangle");
  if (!in_batches(division)) {
    detail::enqueue(backend, "cublas<t>trsm", [=] { detail::divide_on_host(division); });
    return;
  }
  for_parts(division, [&](const Division<T>& part) {
    detail::call_batched(backend, detail::trsm_batched, part.count, part.rows, [=] { detail::divide_on_host(part); });
  });
}

template <class T>
void eigen(const Backend& backend, const Matrices<T>& a, bool vectors, T* values, std::int32_t* info) {
  const ObservedWork work(*backend.stream, "eigenvalues");
  const std::int64_t most = most_for_eigen(a);
  if (most == 1) {
    detail::enqueue(backend, "cusolverDnXsyevd", [=] { detail::find_eigen_of_each(a, vectors, values, info); });
    return;
  }
  for_parts(a.count, most, [&](std::int64_t first, std::int64_t count) {
    detail::call_batched(
        backend, detail::syev_batched, count, a.rows * a.rows * static_cast<std::int64_t>(sizeof(T)),
        [=] { detail::find_eigen_of_each(a.part(first, count), vectors, values + first * a.rows, info + first); });
  });
}

template <class T>
void singular_values(const Backend& backend, const Matrices<T>& a, Vectors vectors, T* s, T* u, T* vt,
                     std::int32_t* info) {
  const ObservedWork work(*backend.stream, "singular values");
  if (!by_jacobi(a)) {
    detail::enqueue(backend, "cusolverDnXgesvd",
                    [=] { detail::find_singular_values_of_each(a, vectors, s, u, vt, info); });
    return;
  }
  const std::int64_t left = a.rows * (vectors == Vectors::full ? a.rows : a.columns);
  for_parts(a.count, most_matrices_of(a.rows * a.rows), [&](std::int64_t first, std::int64_t count) {
    detail::call_batched(backend, detail::gesvdj_batched, count, a.rows * a.rows, [=] {
      detail::find_singular_values_of_each(a.part(first, count), vectors, s + first * a.columns,
                                           detail::advanced(u, first * left),
                                           detail::advanced(vt, first * a.columns * a.columns), info + first);
    });
  });
}

}  // namespace in_library_situ_cuda_linalg

}  // namespace situ::internal::cuda::solver

#endif
