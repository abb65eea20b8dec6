// SPDX-License-Identifier: Apache-2.0
// Sorting along an axis on GPUs: sort, argsort, topk. Stable, and bitwise equal to the CPU's. For a real GPU the
// kernels are compiled once, in the library of `situ::internal::cuda` (src/cuda/sort.cu).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/gather_index.hpp>
#include <situ/cuda/kernels/sort/kernels.hpp>
#include <situ/cuda/kernels/sort/segments.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

[[nodiscard]] inline Grid blocks_of_256(std::int64_t count) { return {(count + 255) / 256, 1}; }

template <SortForm Form, class T>
void sort_long_lines(const Backend& backend, const SortedLines<T>& x) {
  constexpr int key_bytes = Form == SortForm::keys ? static_cast<int>(sizeof(T)) : 8;
  constexpr int place_bytes = Form == SortForm::narrow ? 4 : Form == SortForm::wide ? 8 : 0;
  const auto total = static_cast<std::size_t>(x.lines * x.count);
  const Scratch keys(backend, total * key_bytes);
  const Scratch spare_keys(backend, total * key_bytes);
  const Scratch places(backend, total * place_bytes);
  const Scratch spare_places(backend, total * place_bytes);
  SegmentedSort segments;
  segments.keys = keys.data();
  segments.spare_keys = spare_keys.data();
  segments.places = places.data();
  segments.spare_places = spare_places.data();
  segments.key_bytes = key_bytes;
  segments.place_bytes = place_bytes;
  segments.rows = x.lines;
  segments.count = x.count;
  segments.first_bit = Form == SortForm::packed ? 32 : 0;
  segments.end_bit = segments.first_bit + 8 * static_cast<int>(sizeof(T));
  const EncodeKeys<T, Form> encode{x, segments.keys, segments.places, Divider<std::int64_t>(x.count)};
  launch(backend, blocks_of_256(x.lines * x.count), encode);
  const SortedSegments sorted = sort_segments(backend, segments);
  const DecodeKeys<T, Form> decode{x, sorted.keys, sorted.places, Divider<std::int64_t>(x.keep)};
  launch(backend, blocks_of_256(x.lines * x.keep), decode);
}

/// Up to this many elements of a long line are selected in rounds, each of which leaves an eighth or less; for more, a
/// sort is cheaper. (An estimate, not measured.)
inline constexpr std::int64_t most_selected = block_sort_room / 8;

template <class T>
void select_in_rounds(const Backend& backend, const SortedLines<T>& x) {
  std::optional<Scratch> from;
  for (std::int64_t items = x.count;;) {
    const std::int64_t pieces = (items + block_sort_room - 1) / block_sort_room;
    const std::int64_t left = pieces * x.keep;
    std::optional<Scratch> to;
    if (pieces > 1) to.emplace(backend, static_cast<std::size_t>(x.lines * left) * sizeof(std::int64_t));
    const SelectInBlock<T> round{x, from ? from->template as<std::int64_t>() : nullptr,
                                 to ? to->template as<std::int64_t>() : nullptr, items, Divider<std::int64_t>(pieces)};
    launch(backend, Grid{x.lines * pieces, 1}, round);
    if (pieces == 1) return;
    from.reset();
    from.emplace(std::move(*to));
    items = left;
  }
}

template <class T>
void sort_lines(const Backend& backend, const SortedLines<T>& x) {
  if (x.lines == 0 || x.keep == 0) return;
  if (x.count <= block_sort_room) {
    int bits = 0;
    while ((1 << bits) < x.count) ++bits;
    const int lines_each = block_sort_room >> bits;
    launch(backend, Grid{(x.lines + lines_each - 1) / lines_each, 1}, SortInBlock<T>{x, bits});
    return;
  }
  if (x.keep < x.count && x.keep <= most_selected) return select_in_rounds(backend, x);
  if constexpr (!FloatingElement<T> && sizeof(T) != 2) {  // those of 2 bytes are packed, like 16-bit floats
    if (x.indices == nullptr) return sort_long_lines<SortForm::keys>(backend, x);
  }
  if (x.count > std::numeric_limits<std::int32_t>::max()) return sort_long_lines<SortForm::wide>(backend, x);
  sort_long_lines<sizeof(T) == 8 ? SortForm::narrow : SortForm::packed>(backend, x);
}

#if !defined(SITU_CUDA_EMULATED)
extern template void sort_lines(const Backend&, const SortedLines<bool>&);
extern template void sort_lines(const Backend&, const SortedLines<std::uint8_t>&);
extern template void sort_lines(const Backend&, const SortedLines<std::int32_t>&);
extern template void sort_lines(const Backend&, const SortedLines<std::int64_t>&);
extern template void sort_lines(const Backend&, const SortedLines<float16>&);
extern template void sort_lines(const Backend&, const SortedLines<bfloat16>&);
extern template void sort_lines(const Backend&, const SortedLines<float>&);
extern template void sort_lines(const Backend&, const SortedLines<double>&);
#endif

/// The lines of `x` along `axis`; `shape` is that of the output, except for the axis.
template <class T>
[[nodiscard]] SortedLines<T> sorted_lines(const program::Operand& x, const Shape& shape, int axis, std::int64_t count,
                                          const program::Destination* values, const program::Destination* indices) {
  const auto a = static_cast<std::size_t>(axis);
  const Shape lines = without_axis(shape, axis);
  const Strides none{};
  const std::array<Strides, 3> strides{without_axis(x.strides, axis, lines),
                                       values == nullptr ? none : without_axis(values->strides, axis, lines),
                                       indices == nullptr ? none : without_axis(indices->strides, axis, lines)};
  return {static_cast<const T*>(x.data),
          values == nullptr ? nullptr : static_cast<T*>(values->data),
          indices == nullptr ? nullptr : static_cast<std::int64_t*>(indices->data),
          StridedIndex<std::int64_t, 3>(program::Axes<3>(strides, lines)),
          x.strides[a],
          values == nullptr ? 0 : values->strides[a],
          indices == nullptr ? 0 : indices->strides[a],
          lines.count(),
          count,
          shape[axis],
          false};
}

}  // namespace detail

/// Writes the sorted elements of every line of `x` along `axis`; see the CPU's.
template <Element T>
void sort(const Backend& backend, const program::Operand& x, int axis, bool descending,
          const program::Destination& out) {
  auto lines = detail::sorted_lines<T>(x, out.shape, axis, out.shape[axis], &out, nullptr);
  lines.descending = descending;
  detail::sort_lines(backend, lines);
}

/// Writes the original positions of the elements of `sort` along the axis.
template <Element T>
void argsort(const Backend& backend, const program::Operand& x, int axis, bool descending,
             const program::Destination& out) {
  auto lines = detail::sorted_lines<T>(x, out.shape, axis, out.shape[axis], nullptr, &out);
  lines.descending = descending;
  detail::sort_lines(backend, lines);
}

/// Writes, in order, the first of the `count` elements of every line, and their original positions; see the CPU's.
template <Element T>
void topk(const Backend& backend, const program::Operand& x, std::int64_t count, int axis, bool descending,
          const program::Destination& values, const program::Destination& indices) {
  auto lines = detail::sorted_lines<T>(x, values.shape, axis, count, &values, &indices);
  lines.descending = descending;
  detail::sort_lines(backend, lines);
}

}  // namespace situ::internal::cuda

#endif
