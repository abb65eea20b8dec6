// SPDX-License-Identifier: Apache-2.0
// Copies of the CUDA backend between any two layouts. For a real GPU the kernels are in the library of
// `situ::internal::cuda` (src/cuda/copy.cu), so that a file compiled by the host compiler can copy.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/cuda/kernels/copy_kernels.hpp>
#endif

namespace situ::internal::cuda {

/// Copies `to.shape.count()` elements of 1, 2, 4, 8 or 16 bytes on one GPU: the element at index i of `from` to index i
/// of `to`. Strides may have any sign; 0 repeats an element of the source, and does not occur in the destination. The
/// two do not overlap.
#if defined(SITU_CUDA_EMULATED)
inline void copy_elements(const Backend& backend, const program::Operand& from, const program::Destination& to) {
  detail::copy_between(backend, from, to);
}
#else
void copy_elements(const Backend& backend, const program::Operand& from, const program::Destination& to);
#endif
template <Element T>
void copy_elements(const Backend& backend, const program::Operand& from, const program::Destination& to) {
  copy_elements(backend, from, to);
}

}  // namespace situ::internal::cuda

#endif
