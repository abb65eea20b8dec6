// SPDX-License-Identifier: Apache-2.0
// The kernels of strided copies. They move units of bytes, independent of the element type: a copy between long rows
// moves 16 bytes at a time even for one-byte elements. For the real backend they are compiled once, in
// src/cuda/copy.cu.
#pragma once

#include <situ/core/shape.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/program.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace situ::internal::cuda {

namespace detail {

/// The unit of a copy, 1, 2, 4, 8 or 16 bytes; it may alias elements of any type.
template <int Bytes>
using copy_unit_t = kernel::Vector<
    std::conditional_t<Bytes == 1, std::uint8_t, std::conditional_t<Bytes == 2, std::uint16_t, std::uint32_t>>,
    (Bytes > 4 ? Bytes / 4 : 1)>;

/// The offsets of one copy in a layout: the source is operand 0, the destination operand 1.
using CopyIndex = StridedIndex<std::int32_t, 2>;

/// Any strides, one unit after the other. With Copies > 1 the innermost dimension repeats one unit of the source, and
/// that many adjacent units of the destination are stored at once.
template <int Bytes, int Copies = 1>
struct StridedCopy {
  static constexpr int threads = 256;
  static constexpr const char* name = "copy, strided";
  static constexpr int steps = 4;
  static constexpr int tile = threads * steps * Copies;
  using Unit = copy_unit_t<Bytes>;

  CopyIndex index;
  const std::byte* from;
  std::byte* to;
  std::int64_t count;  // below 2^31; a multiple of Copies

  SITU_DEVICE void operator()() const {
    const std::int64_t first = kernel::block() * tile + kernel::thread() * Copies;
    Unit units[steps];
    std::int32_t places[steps];
    unrolled<steps>([&](int s) {
      const std::int64_t wish = first + s * (threads * Copies);
      const std::int64_t at = wish < count ? wish : count - Copies;
      const CopyIndex::Offsets offsets = index.locate(static_cast<std::int32_t>(at));
      units[s] = *reinterpret_cast<const Unit*>(from + std::int64_t{offsets.offset[0]} * Bytes);
      places[s] = offsets.offset[1];
    });
    unrolled<steps>([&](int s) {
      if (first + s * (threads * Copies) >= count) return;
      std::byte* const place = to + std::int64_t{places[s]} * Bytes;
      if constexpr (Copies == 1) {
        *reinterpret_cast<Unit*>(place) = units[s];
      } else {
        struct alignas(16) [[gnu::may_alias]] {
          Unit unit[std::size_t{Copies}];
        } copies;
        unrolled<Copies>([&](int c) { copies.unit[c] = units[s]; });
        *reinterpret_cast<decltype(copies)*>(place) = copies;
      }
    });
  }
};

/// A plane whose columns are adjacent in the source and whose rows are adjacent in the destination is copied through a
/// tile in shared memory, so that both loads and stores are coalesced. Each row of the tile is padded by one unit, or
/// one word of smaller units, so that the units of a column are in different banks.
template <int Bytes>
struct TransposeCopy {
  static constexpr int threads = 256;
  static constexpr const char* name = "copy, transposed";
  static constexpr int edge = Bytes == 8 ? 32 : 64;  // units of a tile in each direction
  static constexpr int steps = edge * edge / threads;
  static constexpr int rows_per_step = threads / edge;
  using Unit = copy_unit_t<Bytes>;
  static constexpr int spare = Bytes < 4 ? 4 / Bytes : 1;
  struct Tile {
    Unit unit[std::size_t{edge}][std::size_t{edge + spare}];
  };

  CopyIndex outer;  // of the planes
  Divider<std::int32_t> row_tiles;
  Divider<std::int32_t> column_tiles;
  std::int32_t rows;       // along these the destination is adjacent; all offsets are below 2^31
  std::int32_t columns;    // along these the source is adjacent
  std::int32_t from_row;   // distances in units: from a row of the source to the next,
  std::int32_t to_column;  // from a column of the destination to the next
  const std::byte* from;
  std::byte* to;

  SITU_DEVICE void operator()() const {
    const std::int32_t block = static_cast<std::int32_t>(kernel::block());
    const std::int32_t strip = column_tiles.quotient(block);
    const std::int32_t plane = row_tiles.quotient(strip);
    const std::int32_t column0 = (block - strip * static_cast<std::int32_t>(column_tiles.divisor)) * edge;
    const std::int32_t row0 = (strip - plane * static_cast<std::int32_t>(row_tiles.divisor)) * edge;
    const CopyIndex::Offsets offsets = outer.locate(plane);
    const int inner = kernel::thread() % edge;
    const int step0 = kernel::thread() / edge;
    Tile& tile = kernel::block_shared<Tile>();

    Unit units[std::size_t{steps}];
    const std::int32_t from_column = offsets.offset[0] + least_of(column0 + inner, columns - 1);
    unrolled<steps>([&](int s) {  // beyond the ends, the last one again
      const std::int32_t row = least_of(row0 + step0 + s * rows_per_step, rows - 1);
      units[s] = *reinterpret_cast<const Unit*>(from + std::int64_t{from_column + row * from_row} * Bytes);
    });
    unrolled<steps>([&](int s) { tile.unit[step0 + s * rows_per_step][inner] = units[s]; });
    kernel::barrier();
    unrolled<steps>([&](int s) {
      const int column = step0 + s * rows_per_step;
      if (column0 + column < columns && row0 + inner < rows) {
        const std::int32_t place = offsets.offset[1] + (column0 + column) * to_column + (row0 + inner);
        *reinterpret_cast<Unit*>(to + std::int64_t{place} * Bytes) = tile.unit[inner][column];
      }
    });
  }

  SITU_DEVICE static std::int32_t least_of(std::int32_t a, std::int32_t b) { return a < b ? a : b; }
};

// --- the kernel for a layout; operand 0 of a layout is the source, operand 1 the destination -------------------------

struct CopyEnds {
  const std::byte* from;
  std::byte* to;
};

template <int Bytes, int Copies = 1>
void launch_strided_copy(const Backend& backend, const CopyEnds& ends, OperandLayout& layout) {
  if (!layout.fits_32_bits()) {
    OperandLayout rest = layout.split();
    launch_strided_copy<Bytes, Copies>(backend, ends, layout);
    return launch_strided_copy<Bytes, Copies>(backend, ends, rest);
  }
  using Kernel = StridedCopy<Bytes, Copies>;
  const std::int64_t count = layout.count();
  launch(backend, {(count + Kernel::tile - 1) / Kernel::tile, 1},
         Kernel{CopyIndex(layout), ends.from + layout.origin(0) * Bytes, ends.to + layout.origin(1) * Bytes, count});
}

/// The source is adjacent along `column_axis`, the destination along the innermost one.
template <int Bytes>
void launch_transpose_copy(const Backend& backend, const CopyEnds& ends, OperandLayout& layout, int column_axis) {
  if (!layout.fits_32_bits()) {
    OperandLayout rest = layout.split();
    launch_transpose_copy<Bytes>(backend, ends, layout, column_axis);
    return launch_transpose_copy<Bytes>(backend, ends, rest, column_axis);
  }
  using Kernel = TransposeCopy<Bytes>;
  const int row_axis = layout.rank() - 1;
  const std::int64_t rows = layout.extent(row_axis);
  const std::int64_t columns = layout.extent(column_axis);
  const std::int64_t row_tiles = (rows + Kernel::edge - 1) / Kernel::edge;
  const std::int64_t column_tiles = (columns + Kernel::edge - 1) / Kernel::edge;
  const std::int64_t from_row = layout.stride(row_axis, 0);
  const std::int64_t to_column = layout.stride(column_axis, 1);
  OperandLayout planes = layout;
  planes.remove(row_axis);
  planes.remove(column_axis);
  const auto narrow = [](std::int64_t x) { return static_cast<std::int32_t>(x); };
  launch(backend, {planes.count() * row_tiles * column_tiles, 1},
         Kernel{CopyIndex(planes), Divider<std::int32_t>(narrow(row_tiles)),
                Divider<std::int32_t>(narrow(column_tiles)), narrow(rows), narrow(columns), narrow(from_row),
                narrow(to_column), ends.from + layout.origin(0) * Bytes, ends.to + layout.origin(1) * Bytes});
}

template <int Bytes>
void launch_copy(const Backend& backend, const CopyEnds& ends, OperandLayout& layout) {
  const int inner = layout.rank() - 1;
  if (layout.stride(inner, 1) != 1) return launch_strided_copy<Bytes>(backend, ends, layout);
  const std::int64_t step = layout.stride(inner, 0);
  constexpr int copies = 16 / Bytes;
  if (step == 0 && layout.vectors(copies) && is_aligned_to(ends.to, 16)) {
    return launch_strided_copy<Bytes, copies>(backend, ends, layout);
  }
  if (step != 0 && step != 1 && layout.extent(inner) >= 16) {
    for (int axis = 0; axis < inner; ++axis) {
      // A narrow plane would leave most of a tile empty; its lines are read through the cache instead.
      if (layout.stride(axis, 0) == 1 && layout.extent(axis) >= 16) {
        return launch_transpose_copy<Bytes>(backend, ends, layout, axis);
      }
    }
  }
  launch_strided_copy<Bytes>(backend, ends, layout);
}

/// See `copy_elements`.
inline void copy_between(const Backend& backend, const program::Operand& from, const program::Destination& to) {
  int size = to.element_size;
  SITU_ASSERT(size == 1 || size == 2 || size == 4 || size == 8 || size == 16);
  CopyEnds ends{static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data)};
  const std::span<const program::Operand> source(&from, 1);
  const auto copy_run = [&] {
    const auto bytes = static_cast<std::size_t>(to.shape.count()) * static_cast<std::size_t>(size);
    const ObservedWork work(*backend.stream, "copy on the GPU", bytes);
    check(api::copy_on_device(ends.to, ends.from, bytes, backend.stream->stream), "cudaMemcpyAsync", backend.ordinal,
          bytes, " bytes on the device");
  };
  if (all_row_major(source, to)) return copy_run();
  OperandLayout layout(source, to);
  ends.from += layout.origin(0) * size;
  ends.to += layout.origin(1) * size;
  layout.begin_here();
  if (layout.flat()) return copy_run();
  const int inner = layout.rank() - 1;
  if (layout.stride(inner, 0) == 1 && layout.stride(inner, 1) == 1) {
    int wide = 16 / size;
    const auto fits = [&] {
      return layout.vectors(wide) && is_aligned_to(ends.from, wide * size) && is_aligned_to(ends.to, wide * size);
    };
    while (wide > 1 && !fits()) wide /= 2;
    layout.widen(wide);
    size *= wide;
  }
  switch (size) {
    case 1:
      return launch_copy<1>(backend, ends, layout);
    case 2:
      return launch_copy<2>(backend, ends, layout);
    case 4:
      return launch_copy<4>(backend, ends, layout);
    case 8:
      return launch_copy<8>(backend, ends, layout);
    default:
      return launch_strided_copy<16>(backend, ends, layout);
  }
}

}  // namespace detail

}  // namespace situ::internal::cuda

#endif
