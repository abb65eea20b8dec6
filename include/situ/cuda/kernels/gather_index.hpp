// SPDX-License-Identifier: Apache-2.0
// What kernels with an index share: the places of a shape in several operands, positions along the indexed axis with the
// report of one that is out of range, and elements as units of their size.
#pragma once

#include <algorithm>
#include <array>
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

/// Where the elements of a shape lie in `N` operands: neighbouring axes that continue each other in all of them are one.
template <int N>
struct Places {
  int rank = 0;
  Divider<std::int64_t> extents[max_rank];
  std::int64_t strides[std::size_t{N}][max_rank] = {};

  [[nodiscard]] constexpr std::int64_t extent(int axis) const {
    return static_cast<std::int64_t>(extents[axis].divisor);
  }

  /// The offsets, in elements, of the element that is number `linear` in row-major order.
  constexpr void offsets(std::int64_t linear, std::int64_t (&result)[std::size_t{N}]) const {
    for (int k = 0; k < N; ++k) result[k] = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      std::int64_t rest = linear;
      if (axis > 0) {
        linear = extents[axis].quotient(linear);
        rest -= linear * extent(axis);
      }
      for (int k = 0; k < N; ++k) result[k] += rest * strides[k][axis];
    }
  }
};

/// Of a shape; no offset of one with an extent of 0 is asked for.
template <int N>
[[nodiscard]] Places<N> places_of(const Shape& shape, const std::array<Strides, std::size_t{N}>& strides) {
  Places<N> places;
  std::int64_t merged[max_rank] = {};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t extent = shape[axis];
    const auto from = static_cast<std::size_t>(axis);
    if (extent == 1) continue;
    bool continues = places.rank > 0;
    for (std::size_t k = 0; k < N && continues; ++k)
      continues = places.strides[k][places.rank - 1] == strides[k][from] * extent;
    if (!continues) merged[places.rank++] = 1;
    const int last = places.rank - 1;
    merged[last] *= extent;
    for (std::size_t k = 0; k < N; ++k) places.strides[k][last] = strides[k][from];
  }
  for (int axis = 0; axis < places.rank; ++axis)
    places.extents[axis] = Divider<std::int64_t>(std::max<std::int64_t>(1, merged[axis]));
  return places;
}

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
