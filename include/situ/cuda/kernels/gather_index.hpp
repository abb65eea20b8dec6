// SPDX-License-Identifier: Apache-2.0
// Shared by kernels with an index: the report of an index out of range, elements as units of their size, and the
// distribution of rows over threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/unit.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// The fault handler of a kernel: the index is reported at the next transfer to the host.
struct ReportIndex {
  Fault* fault;

  SITU_DEVICE void operator()(IndexedOperation operation, std::int64_t index, int axis, std::int64_t extent) const {
    report_index(fault, operation, index, axis, extent);
  }
};
using ReportedAxis = IndexedAxis<ReportIndex>;

/// The unit that a thread moves: that of an element, or 16 bytes of elements.
template <int Bytes>
using Unit = kernel::Vector<unit_t<Bytes == 16 ? 4 : Bytes>, Bytes == 16 ? 4 : 1>;

/// The distribution of rows of `length` elements over the 256 threads of a block: 2^shift adjacent threads for each
/// row.
struct RowTiles {
  int shift;            // at most 8
  std::int64_t blocks;  // of 256 / 2^shift rows
  int parts;            // of each row
};
[[nodiscard]] inline RowTiles row_tiles(std::int64_t rows, std::int64_t length) {
  RowTiles tiles{0, 0, 1};
  while (tiles.shift < 8 && (1 << tiles.shift) < length) ++tiles.shift;
  const std::int64_t rows_each = 256 >> tiles.shift;
  tiles.blocks = (rows + rows_each - 1) / rows_each;
  const std::int64_t each_part = std::int64_t{4} << tiles.shift;  // four elements a thread
  const std::int64_t parts = (length + each_part - 1) / each_part;
  tiles.parts = static_cast<int>(parts < 1 ? 1 : parts > 65535 ? 65535 : parts);
  return tiles;
}

}  // namespace situ::internal::cuda::detail

#endif
