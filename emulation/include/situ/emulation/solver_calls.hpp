// SPDX-License-Identifier: Apache-2.0
// The batched routines of cuSOLVER and cuBLAS, with their known limits: see cuda/linalg/parts.hpp. Beyond the limits
// the emulation fails as they do.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/emulation/refusal.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda::solver::detail {

/// Puts `f` into the backend's stream.
template <class F>
void enqueue(const Backend& backend, const char* name, const F& f) {
  const ObservedWork work(*backend.stream, name);
  check(emulated::enqueue(stream_of(backend), name, f), name, backend.ordinal);
}

/// The failure of a batched routine beyond its limits.
struct BatchedRoutine {
  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

  const char* name;
  const char* status;
  std::int64_t most_matrices = 65535;  // the limit of a grid's second dimension
  std::int64_t most_each = any;        // right-hand sides
  std::int64_t most_together = any;    // its own count over all matrices
  bool loses_context = false;          // as far as is known
};

inline constexpr BatchedRoutine getrf_batched{
    .name = "cublas<t>getrfBatched", .status = "CUBLAS_STATUS_EXECUTION_FAILED", .loses_context = true};
inline constexpr BatchedRoutine potrf_batched{
    .name = "cusolverDn<t>potrfBatched", .status = "CUSOLVER_STATUS_EXECUTION_FAILED", .loses_context = true};
/// Eight right-hand sides for a block.
inline constexpr BatchedRoutine trsm_batched{.name = "cublas<t>trsmBatched",
                                             .status = "CUBLAS_STATUS_EXECUTION_FAILED",
                                             .most_each = std::int64_t{65535} * 8,
                                             .loses_context = true};
/// Up to 2^31 bytes; the limit is somewhere between 16,000 and 40,000 matrices.
inline constexpr BatchedRoutine syev_batched{.name = "cusolverDnXsyevBatched",
                                             .status = "CUSOLVER_STATUS_INVALID_VALUE",
                                             .most_matrices = 32767,
                                             .most_together = std::numeric_limits<std::int32_t>::max()};
/// Up to 2^31 elements.
inline constexpr BatchedRoutine gesvdj_batched{.name = "cusolverDn<t>gesvdjBatched",
                                               .status = "CUSOLVER_STATUS_INVALID_VALUE",
                                               .most_together = std::numeric_limits<std::int32_t>::max()};

/// One call of a routine for `count` matrices with `each` units of its own count; `f` does the work.
template <class F>
void call_batched(const Backend& backend, const BatchedRoutine& routine, std::int64_t count, std::int64_t each,
                  const F& f) {
  const auto require = [&](std::int64_t found, std::int64_t most, const char* what) {
    if (found <= most) return;
    emulated::refuse_call(routine.name, routine.status, backend.ordinal,
                          std::to_string(found) + what + ", and one call takes " + std::to_string(most),
                          routine.loses_context);
  };
  require(count, routine.most_matrices, " matrices");
  require(each, routine.most_each, " right-hand sides");
  require(count * each, routine.most_together, " bytes or elements of all matrices");
  enqueue(backend, routine.name, f);
}

}  // namespace situ::internal::cuda::solver::detail

#endif
