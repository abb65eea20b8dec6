// SPDX-License-Identifier: Apache-2.0
// A = L U for several operations: the column-major factors, and the permutation.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/linalg/outcome.hpp>
#include <situ/cuda/linalg/solver.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// The factors of each matrix of a batch; those of a repeated matrix (`step` 0) once.
template <class T>
struct LuFactors {
  std::int64_t rows, columns, steps;  // steps: the smaller of the two
  std::int64_t count;
  std::int64_t step;
  ScratchOf<T> factors;
  ScratchOf<std::int64_t> pivots;
  ScratchOf<std::int32_t> info;
  bool short_pivots = false;

  LuFactors(const Backend& backend, const program::Matrices<T>& a)
      : rows(a.rows),
        columns(a.columns),
        steps(rows < columns ? rows : columns),
        count(a.batch == 0 ? 1 : a.count),
        step(a.batch == 0 ? 0 : 1),
        factors(backend, count * rows * columns),
        pivots(backend, count * steps),
        info(backend, count) {
    refuse_linear_algebra_in_capture();
    program::Matrices<T> distinct = a;
    distinct.count = count;
    copy_by_columns(backend, distinct, factors.data());
    const solver::Matrices<T> in_place{rows, columns, factors.data(), count};
    short_pivots = solver::has_short_pivots(in_place);
    solver::lu(backend, in_place, pivots.data(), info.data());
  }

  /// Calls `f` with the pivots in their own type.
  template <class F>
  void with_pivots(const F& f) const {
    if (short_pivots) f(reinterpret_cast<const std::int32_t*>(pivots.data()));
    else f(static_cast<const std::int64_t*>(pivots.data()));
  }
  /// Permutations of `of` matrices.
  void find_permutations(const Backend& backend, std::int64_t of, std::int64_t* out) const {
    with_pivots([&](const auto* pivot) { detail::find_permutations(backend, pivot, step, rows, steps, of, out); });
  }
};

}  // namespace situ::internal::cuda::detail

#endif
