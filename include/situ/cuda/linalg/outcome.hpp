// SPDX-License-Identifier: Apache-2.0
// The outcome for the matrices of a batch, which the device knows, not the host: the last kernel of an operation leaves
// a message about the first matrix without a result, for the next wait (runtime/fault.hpp), and sets the results of all
// such matrices to NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/linalg/checks.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/recording.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// A block for each matrix; the first block writes the message.
template <class T>
struct FinishMatrices {
  static constexpr int threads = 128;
  static constexpr const char* name = "outcome of linear algebra";
  struct First {
    std::int64_t matrix[std::size_t{threads}];
  };
  struct Result {
    T* data;
    std::int64_t each;  // elements; 0 if there is no such result
  };
  LinAlgOperation operation;
  LinAlgFault what;  // unless it is the symmetry
  std::int64_t count, rows, columns;
  std::int64_t step;         // 0: the members below are for one matrix shared by all
  const std::int32_t* info;  // or null
  const Findings<T>* found;  // or null
  Result results[3];
  Fault* fault = nullptr;

  SITU_DEVICE bool failed(std::int64_t matrix) const {
    if (info != nullptr && info[matrix * step] != 0) return true;
    if (found == nullptr) return false;
    const Findings<T>& its = found[matrix * step];
    return its.unsymmetric != 0 || its.not_finite != 0 || its.pivot != 0;
  }

  SITU_DEVICE void tell(std::int64_t matrix) const {
    LinAlgFault said = what;
    std::int64_t at = info == nullptr ? 0 : info[matrix * step];
    if (found != nullptr) {
      const Findings<T>& its = found[matrix * step];
      if (its.unsymmetric != 0) {
        said = LinAlgFault::not_symmetric;
        at = rows - its.unsymmetric + 1;
      } else if (its.not_finite != 0) {
        at = 0;
      } else if (its.pivot != 0) {
        at = columns - its.pivot + 1;
      }
    }
    report_matrix(fault, operation, said, at, matrix, count, rows, columns);
  }

  SITU_DEVICE void operator()() const {
    if (kernel::block() == 0) {
      auto& first = kernel::block_shared<First>();
      std::int64_t matrix = kernel::thread();
      while (matrix < count && !failed(matrix)) matrix += threads;
      first.matrix[kernel::thread()] = matrix;
      kernel::barrier();
      if (kernel::thread() == 0) {
        for (int k = 1; k < threads; ++k) matrix = first.matrix[k] < matrix ? first.matrix[k] : matrix;
        if (matrix < count) tell(matrix);
      }
    }
    if (!failed(kernel::block())) return;
    for (const Result& result : results) {
      for (std::int64_t i = kernel::thread(); i < result.each; i += threads)
        result.data[kernel::block() * result.each + i] = std::numeric_limits<T>::quiet_NaN();
    }
  }
};

template <class T>
void finish_matrices(const Backend& backend, FinishMatrices<T> end) {
  const FaultReports reports(backend);
  end.fault = reports;
  launch(backend, {end.count, 1}, end);
}

#if !defined(SITU_CUDA_EMULATED)
extern template void finish_matrices(const Backend&, FinishMatrices<float>);
extern template void finish_matrices(const Backend&, FinishMatrices<double>);
#endif

inline void refuse_linear_algebra_in_capture() {
  refuse_in_capture("linear algebra",
                    "its libraries may wait for the GPU; call it before, and make its result an input of the function");
}

}  // namespace situ::internal::cuda::detail

#endif
