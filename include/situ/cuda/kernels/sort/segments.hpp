// SPDX-License-Identifier: Apache-2.0
// The interface to sorting: unsigned integers, with or without positions as values, in segments of equal length. On a
// GPU it is CUB's radix sort, compiled once (src/cuda/sort.cu), so that no header includes CUB; the emulation sorts on
// the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/cuda/api/backend.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// `rows` segments of `count` keys, one after another in device memory, and as many positions if they are sorted along.
/// The spare arrays have the same size. Supported are keys of 1, 4 or 8 bytes without positions, and of 8 bytes with
/// positions of 4 or 8; narrower keys with a position of 4 bytes are packed into a key of 8.
struct SegmentedSort {
  void* keys = nullptr;
  void* spare_keys = nullptr;
  void* places = nullptr;
  void* spare_places = nullptr;
  int key_bytes = 0;
  int place_bytes = 0;  // 0: no positions
  std::int64_t rows = 1;
  std::int64_t count = 0;
  int first_bit = 0;  // the bits from this one
  int end_bit = 0;    // up to, not including, this one are compared
};

/// Where the result of a sort is: in the arrays or in the spare ones, whichever the last pass wrote.
struct SortedSegments {
  void* keys = nullptr;
  void* places = nullptr;
};

/// Sorts every segment in ascending order of the compared bits, stably, in the backend's stream. Throws `CudaError`.
SortedSegments sort_segments(const Backend& backend, const SegmentedSort& segments);

}  // namespace situ::internal::cuda

#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/sort_segments.hpp>
#endif

#endif
