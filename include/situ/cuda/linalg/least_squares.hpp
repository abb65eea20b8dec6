// SPDX-License-Identifier: Apache-2.0
// X that minimizes |A X - B|: by QR, or for any rank by singular values.
#pragma once

#include <cstdint>

#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/matmul.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>
#include <situ/cuda/linalg/qr.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/cuda/linalg/svd.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/plan/product.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// R X = Q^T B, or X^T := (B^T Q) R^-T for row-major matrices: only the first n columns of B^T Q are used, and they are
/// stored first.
template <LinAlgElement T>
void solve_least_squares(const Backend& backend, const program::Matrices<T>& a, const program::Matrices<T>& b, T* x) {
  const detail::QrFactors<T> qr(backend, a);
  const std::int64_t m = a.rows, n = a.columns, r = b.columns;
  const detail::FindingsOf<T> found(backend, a.count);
  detail::find_dependent_columns(backend, qr.part(n, n), dependence_tolerance<T>(m), found.data());

  const detail::ScratchOf<T> right(backend, a.count * m * r);
  detail::copy_by_rows(backend, b, right.data());
  solver::multiply_by_q<T>(backend, qr.in_place(), qr.tau.data(), {r, m, right.data(), a.count});
  solver::divide<T>(backend, {.rows = r,
                              .order = n,
                              .triangle = qr.factors.data(),
                              .triangle_ld = m,
                              .triangle_batch = m * n,
                              .upper = true,
                              .transposed = true,
                              .unit = false,
                              .c = right.data(),
                              .c_batch = m * r,
                              .count = a.count});
  detail::copy_by_rows(backend, program::Matrices<T>{a.count, n, r, right.data(), r, 1, m * r}, x);
  detail::finish_matrices<T>(
      backend,
      {LinAlgOperation::lstsq, LinAlgFault::rank_deficient, a.count, m, n, 1, nullptr, found.data(), {{x, n * r}}});
}

/// X = V diag(1 / s) U^T B.
template <LinAlgElement T>
void solve_least_squares_of_any_rank(const Backend& backend, const program::Matrices<T>& a,
                                     const program::Matrices<T>& b, double tolerance, T* x, std::int64_t* rank) {
  detail::refuse_linear_algebra_in_capture();
  const std::int64_t m = a.rows, n = a.columns, k = m < n ? m : n, r = b.columns, count = a.count;
  const detail::ScratchOf<std::int32_t> info(backend, count);
  const detail::FindingsOf<T> found(backend, count);
  detail::find_not_finite(backend, a, found.data());
  const detail::ScratchOf<T> u(backend, count * m * k);
  const detail::ScratchOf<T> s(backend, count * k);
  const detail::ScratchOf<T> vh(backend, count * k * n);
  detail::decompose(backend, a, solver::Vectors::thin, u.data(), s.data(), vh.data(), info.data());

  const detail::ScratchOf<T> inner(backend, count * k * r);
  program::MatrixProduct product;
  product.m = k;
  product.n = r;
  product.k = m;
  product.a = u.data();
  product.a_row = 1;
  product.a_column = k;
  product.b = b.data;
  product.b_row = b.row;
  product.b_column = b.column;
  product.c = inner.data();
  product.batch = Shape{count};
  product.a_batch = {m * k};
  product.b_batch = {b.batch};
  matrix_product<T>(backend, product);
  detail::divide_by_singular_values(backend, s.data(), k, count, inner.data(), r, tolerance, rank);
  product.m = n;
  product.k = k;
  product.a = vh.data();
  product.a_column = n;
  product.b = inner.data();
  product.b_row = r;
  product.b_column = 1;
  product.c = x;
  product.a_batch = {k * n};
  product.b_batch = {k * r};
  matrix_product<T>(backend, product);
  detail::finish_matrices<T>(
      backend,
      {LinAlgOperation::lstsq, LinAlgFault::not_converged, count, m, n, 1, info.data(), found.data(), {{x, n * r}}});
}

}  // namespace situ::internal::cuda

#endif
