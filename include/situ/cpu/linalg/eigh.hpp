// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric matrices.
#pragma once

#include <cstdint>

#include <Eigen/Eigenvalues>

#include <situ/cpu/linalg/jacobi.hpp>
#include <situ/cpu/linalg/matrices.hpp>
#include <situ/cpu/linalg/provider.hpp>
#include <situ/cpu/linalg/symmetric.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/linalg.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// See `FindsEigenOfSymmetric`.
template <LinAlgElement T,
          class Solver = detail::Provided<Eigen::SelfAdjointEigenSolver<detail::Matrix<T>>, lapack::Eigh<T>>>
void find_eigen_of_symmetric(Backend, LinAlgOperation operation, const program::Matrices<T>& a, T* w, T* v) {
  const std::int64_t n = a.rows;
  const auto make = [n] { return Solver(n); };
  const auto find = [&](Solver& solver, std::int64_t i) -> detail::MatrixOutcome {
    if (const std::int64_t row = detail::first_unsymmetric_row(a, i); row != 0) {
      return {LinAlgFault::not_symmetric, row, true};
    }
    const auto matrix = detail::operand(a, i);
    if (!matrix.allFinite()) return {LinAlgFault::not_converged, 0, true};  // else found after 30 n iterations
    solver.compute(matrix, v == nullptr ? Eigen::EigenvaluesOnly : Eigen::ComputeEigenvectors);
    if (solver.info() != detail::success) return {LinAlgFault::not_converged, 0, true};
    detail::result(w, i, n, 1) = solver.eigenvalues();
    if (v != nullptr) detail::write_rows(solver.eigenvectors(), n, v + i * n * n);
    return {};
  };
  if (n <= detail::most_rows_rotated_side_by_side) {
    return detail::eigen_side_by_side(operation, a, w, v, [&](std::int64_t i) {
      Solver solver = make();
      return find(solver, i);
    });
  }
  detail::for_each_matrix(operation, a, (v == nullptr ? 2 : 10) * n * n * n, make, find);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
