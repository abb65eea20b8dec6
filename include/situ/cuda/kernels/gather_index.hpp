// SPDX-License-Identifier: Apache-2.0
// What kernels with an index share: the report of an index that is out of range, elements as units of their size, and
// how threads share rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/runtime/index_fault.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/unit.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// The fault of a kernel: the index is told with the next transfer to the host.
struct ReportIndex {
  IndexFault* fault;

  SITU_DEVICE void operator()(IndexedOperation operation, std::int64_t index, int axis, std::int64_t extent) const {
    report_index(fault, operation, index, axis, extent);
  }
};
using ReportedAxis = IndexedAxis<ReportIndex>;

/// What a thread moves at a time: the unit of an element, or 16 bytes of them.
template <int Bytes>
using Unit = kernel::Vector<unit_t<Bytes == 16 ? 4 : Bytes>, Bytes == 16 ? 4 : 1>;

/// How the 256 threads of a block share rows of `length` elements: `width` of them side by side in a row.
struct RowTiles {
  int width;            // a power of two, at most 256
  std::int64_t blocks;  // of 256 / width rows
  int parts;            // of each row
};
[[nodiscard]] inline RowTiles row_tiles(std::int64_t rows, std::int64_t length) {
  RowTiles tiles{1, 0, 1};
  while (tiles.width < 256 && tiles.width < length) tiles.width *= 2;
  const std::int64_t rows_each = 256 / tiles.width;
  tiles.blocks = (rows + rows_each - 1) / rows_each;
  const std::int64_t parts = (length + 4 * tiles.width - 1) / (4 * tiles.width);  // four elements a thread
  tiles.parts = static_cast<int>(parts < 1 ? 1 : parts > 65535 ? 65535 : parts);
  return tiles;
}

}  // namespace situ::internal::cuda::detail

#endif
