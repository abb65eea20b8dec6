// SPDX-License-Identifier: Apache-2.0
// The gather kernels of GPUs, and one_hot. An index out of range yields zero and is reported, see
// cuda/runtime/fault.hpp. The CPU's are in cpu/gather.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/gather_index.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/kernels/scatter.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/unit.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// `to[row, i] = from[row / count, indices[row % count], i]` for rows of `inner` units.
template <class U, class At>
struct TakeRows {
  static constexpr int threads = 256;
  static constexpr int each = 4;
  static constexpr const char* name = "take";
  const U* from;
  U* to;
  const At* indices;
  std::int64_t rows;
  Divider<std::int64_t> count;
  std::int64_t inner;
  std::int64_t outer_step;
  std::int64_t axis_step;
  std::int64_t inner_step;
  ReportedAxis axis;
  int shift;  // 2^shift adjacent threads in a row

  SITU_DEVICE void operator()() const {
    const int width = 1 << shift;
    const std::int64_t row = kernel::block() * (threads >> shift) + (kernel::thread() >> shift);
    if (row >= rows) return;
    const std::int64_t outer = count.quotient(row);
    const std::int64_t position = axis.position(indices[row - outer * static_cast<std::int64_t>(count.divisor)]);
    const U* source = from + outer * outer_step + (position < 0 ? 0 : position) * axis_step;
    U* target = to + row * inner;
    const std::int64_t step = std::int64_t{kernel::blocks_y()} * width;
    std::int64_t i = std::int64_t{kernel::block_y()} * width + (kernel::thread() & (width - 1));
    for (; i < inner; i += each * step) {
      U loaded[each]{};
      if (position >= 0) {  // all loads before all stores, so that they overlap; beyond the end, the first one again
        kernel::unrolled<each>([&](int j) {
          const std::int64_t at = i + j * step;
          loaded[j] = source[(at < inner ? at : i) * inner_step];
        });
      }
      kernel::unrolled<each>([&](int j) {
        if (i + j * step < inner) target[i + j * step] = loaded[j];
      });
    }
  }
};

/// `to[i] = from[..., indices[i], ...]`, four elements a thread: first all indices are loaded, then all elements,
/// unconditionally, since a condition would wait for one load before the next begins. Indices out of range are detected
/// at the end.
template <class U, class At>
struct GatherElements {
  static constexpr int threads = 256;
  static constexpr int each = 4;
  static constexpr const char* name = "gather";
  const U* from;
  const At* indices;
  U* to;
  std::int64_t count;  // below 2^31
  std::int64_t axis_step;
  StridedIndex<std::int32_t, 3> places;  // in `from` (without the axis), in `indices` and in `to`
  ReportedAxis axis;

  SITU_DEVICE void operator()() const {
    const std::int64_t first = kernel::block() * (threads * each) + kernel::thread();
    if (first >= count) return;
    std::int32_t at[each];
    kernel::unrolled<each>([&](int j) {  // beyond the end, the first one again
      const std::int64_t wish = first + j * threads;
      at[j] = static_cast<std::int32_t>(wish < count ? wish : first);
    });
    typename StridedIndex<std::int32_t, 3>::Offsets offsets[each];
    places.locate(at, offsets);
    At index[each];
    kernel::unrolled<each>([&](int j) { index[j] = indices[offsets[j][1]]; });
    U loaded[each]{};
    bool all_inside = true;
    if (axis.extent > 0) {
      kernel::unrolled<each>([&](int j) {
        const std::int64_t position = axis.unchecked_position(index[j]);
        const bool inside = axis.has(position);
        loaded[j] = from[offsets[j][0] + (inside ? position : 0) * axis_step];
        all_inside = all_inside && inside;
      });
    }
    if (!all_inside || axis.extent == 0) [[unlikely]] {
      kernel::unrolled<each>([&](int j) {
        if (axis.position(index[j]) < 0) loaded[j] = U{};
      });
    }
    kernel::unrolled<each>([&](int j) {
      if (first + j * threads < count) to[offsets[j][2]] = loaded[j];
    });
  }
};

/// `out[i, c] = c == labels[i]`.
template <class T, class At>
struct OneHotRows {
  static constexpr int threads = 256;
  static constexpr const char* name = "one_hot";
  const At* labels;
  T* out;
  std::int64_t count;
  std::int64_t classes;
  Fault* fault;
  int shift;  // 2^shift adjacent threads in a row
  IndexedOperation operation;

  SITU_DEVICE void operator()() const {
    const int width = 1 << shift;
    const int side = kernel::thread() & (width - 1);
    const std::int64_t row = kernel::block() * (threads >> shift) + (kernel::thread() >> shift);
    if (row >= count) return;
    const auto label = static_cast<std::int64_t>(labels[row]);
    if ((label < 0 || label >= classes) && side == 0 && kernel::block_y() == 0)
      report_index(fault, operation, label, 0, classes, row);
    const std::int64_t step = std::int64_t{kernel::blocks_y()} * width;
    for (std::int64_t c = std::int64_t{kernel::block_y()} * width + side; c < classes; c += step)
      out[row * classes + c] = c == label ? static_cast<T>(compute_t<T>(1)) : T{};
  }
};

/// Whether rows of `inner` elements of `size` bytes, at multiples of these strides, can be moved 16 bytes at a time.
[[nodiscard]] inline bool in_whole_vectors(const void* from, const void* to, int size, std::int64_t inner,
                                           std::int64_t outer_step, std::int64_t axis_step) {
  const auto bits = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to) |
                    static_cast<std::uintptr_t>((inner | outer_step | axis_step) * size);
  return bits % 16 == 0;
}

}  // namespace detail

/// `out[o, k, i] = x[o, indices[k], i]`; see the CPU's.
template <Element T, IntegerElement At>
void take(const Backend& backend, const program::Operand& x, const Shape& shape, const At* indices, std::int64_t count,
          IndexedOperation operation, int axis, void* out) {
  const std::int64_t rows = shape[0] * count;
  if (rows == 0) return;
  const auto run = [&]<class U>(U*, std::int64_t elements) {  // `elements` for each unit
    const std::int64_t inner = shape[2] / elements;
    const FaultReports reports(backend);
    const detail::RowTiles tiles = detail::row_tiles(rows, inner);
    const detail::TakeRows<U, At> kernel{static_cast<const U*>(x.data),
                                         static_cast<U*>(out),
                                         indices,
                                         rows,
                                         Divider<std::int64_t>(count),
                                         inner,
                                         x.strides[0] / elements,
                                         x.strides[1] / elements,
                                         x.strides[2],
                                         {{reports}, operation, axis, shape[1]},
                                         tiles.shift};
    launch(backend, Grid{tiles.blocks, tiles.parts}, kernel);
  };
  if (shape[2] > 1 && x.strides[2] == 1 &&
      detail::in_whole_vectors(x.data, out, x.element_size, shape[2], x.strides[0], x.strides[1])) {
    return run(static_cast<detail::Unit<16>*>(nullptr), 16 / x.element_size);
  }
  run(static_cast<detail::Unit<sizeof(T)>*>(nullptr), 1);
}

/// `out[..., j, ...] = x[..., indices[..., j, ...], ...]`; see the CPU's.
template <Element T, IntegerElement At>
void gather_along(const Backend& backend, const program::Operand& x, std::int64_t extent,
                  const program::Operand& indices, int axis, const program::Destination& out) {
  if (out.shape.count() == 0) return;
  using U = detail::Unit<sizeof(T)>;
  program::Operand x_lines = x;
  x_lines.strides[static_cast<std::size_t>(axis)] = 0;
  const program::Operand operands[] = {x_lines, indices};
  const FaultReports reports(backend);
  const detail::ReportedAxis along{{reports}, IndexedOperation::gather, axis, extent};
  OperandLayout layout(operands, out);
  layout.for_each_part([&](const OperandLayout& part) {
    const std::int64_t count = part.count();
    const detail::GatherElements<U, At> kernel{static_cast<const U*>(first_element(x, part.origin(0))),
                                               static_cast<const At*>(first_element(indices, part.origin(1))),
                                               static_cast<U*>(out.data) + part.origin(2),
                                               count,
                                               x.strides[static_cast<std::size_t>(axis)],
                                               StridedIndex<std::int32_t, 3>(part),
                                               along};
    constexpr std::int64_t tile = kernel.threads * kernel.each;
    launch(backend, Grid{(count + tile - 1) / tile, 1}, kernel);
  });
}

/// `out[i, labels[i]] = 1`, 0 elsewhere; see the CPU's.
template <Element T, IntegerElement At>
void one_hot(const Backend& backend, const At* labels, std::int64_t count, std::int64_t classes,
             IndexedOperation operation, T* out) {
  if (count == 0) return;
  const detail::RowTiles tiles = detail::row_tiles(count, classes);
  const FaultReports reports(backend);
  const detail::OneHotRows<T, At> kernel{labels, out, count, classes, reports, tiles.shift, operation};
  launch(backend, Grid{tiles.blocks, tiles.parts}, kernel);
}

}  // namespace situ::internal::cuda

#endif
