// SPDX-License-Identifier: Apache-2.0
// The element-wise kernel of host devices: evaluates a program into a destination of any strides, on all threads.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <situ/core/shape.hpp>
#include <situ/cpu/copy.hpp>
#include <situ/cpu/evaluation.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/transposed_evaluation.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The bytes of an element of each leaf.
template <class List>
inline constexpr int element_sizes[] = {0};
template <class First, class... Rest>
inline constexpr int element_sizes<program::TypeList<First, Rest...>>[] = {sizeof(First), sizeof(Rest)...};

/// Below this number of elements a second thread costs more than it saves.
inline constexpr std::int64_t elementwise_grain = 16384;

/// With fewer elements all operands of several expressions are cached anyway, so computing them together saves nothing.
inline constexpr std::int64_t fewest_evaluated_together = 32768;

/// Elements of one expression before the next one's turn: the operands that several read, some ten, stay in the
/// second-level cache.
inline constexpr std::int64_t shared_tile_elements = 4096;

/// Elements computed at a time before they are streamed or scattered: 8 KiB of doubles, within the first-level cache
/// (twice that for 16-byte complex elements).
inline constexpr std::int64_t staging_elements = 1024;
inline constexpr std::size_t staging_bytes = staging_elements * 16;

/// A result larger than the cache is written with non-temporal stores, which saves the read of every line that a normal
/// store begins with: by the kernel itself if possible, since computing and writing then overlap, otherwise tile by
/// tile.
inline void fill_streamed(const Evaluation& evaluation, std::int64_t begin, std::int64_t end, std::byte* out) {
  if (std::byte* const to = out + begin * evaluation.out_size(); evaluation.streams_to(to)) {
    evaluation.stream(begin, end, to);
    return stream_fence();
  }
  alignas(64) std::byte tile[staging_bytes];
  for (; begin < end; begin += staging_elements) {
    const std::int64_t length = std::min(staging_elements, end - begin);
    evaluation.fill(begin, begin + length, tile);
    stream_copy(out + begin * evaluation.out_size(), tile, static_cast<std::size_t>(length * evaluation.out_size()));
  }
  stream_fence();
}

/// A destination with gaps or permuted axes: runs along its last axis are computed in place if contiguous, otherwise a
/// tile at a time and scattered.
inline void fill_strided(const Evaluation& evaluation, const program::Destination& to, std::int64_t begin,
                         std::int64_t end) {
  alignas(64) std::byte tile[staging_bytes];
  const int size = to.element_size;
  const program::Axes<1> axes({to.strides}, to.shape);
  const std::int64_t step = axes.stride(axes.rank() - 1);
  axes.for_each_run(begin, end, [&](const auto& offsets, std::int64_t first, std::int64_t run) {
    std::byte* const out = static_cast<std::byte*>(to.data) + offsets[0] * size;
    if (step == 1) return evaluation.fill(first, first + run, out);
    for (std::int64_t done = 0; done < run; done += staging_elements) {
      const std::int64_t length = std::min(staging_elements, run - done);
      evaluation.fill(first + done, first + done + length, tile);
      scatter(size, tile, step, out + done * step * size, length);
    }
  });
}

/// Bytes of operands that are packed at once for a small result, each aligned.
inline constexpr std::int64_t small_arena_bytes = 8192;
inline constexpr std::int64_t small_boundary = 64;

/// Packs the elements of an operand from `axis` of the result on; axes that it is broadcast over are read once. Returns
/// the bytes written.
inline std::size_t bring_together(const program::Operand& operand, const Shape& shape, int axis, const std::byte* from,
                                  std::byte* to) {
  const std::int64_t extent = shape.begin()[axis];
  const std::int64_t stride = operand.strides[static_cast<std::size_t>(axis)];
  const int size = operand.element_size;
  if (axis + 1 == shape.rank()) {
    if (stride == 0) splat(from, size, static_cast<int>(extent), to);
    else gather(size, from, stride, to, extent);
    return static_cast<std::size_t>(extent * size);
  }
  if (stride == 0) {
    std::size_t some = bring_together(operand, shape, axis + 1, from, to);
    const std::size_t all_of_them = some * static_cast<std::size_t>(extent);
    for (; some < all_of_them; some *= 2) std::memcpy(to + some, to, std::min(some, all_of_them - some));
    return all_of_them;
  }
  std::size_t written = 0;
  for (std::int64_t i = 0; i < extent; ++i) {
    written += bring_together(operand, shape, axis + 1, from + i * stride * size, to + written);
  }
  return written;
}

/// The period of an operand in a result in row-major order: 1 for a single element, the length of a row for a row that
/// all rows share, `count()` of the result without broadcasting. 0 if its elements are not contiguous.
[[nodiscard]] inline std::int64_t period_of(const program::Operand& operand, const Shape& shape) noexcept {
  std::int64_t period = 1;
  bool repeats = false;
  const std::int64_t* stride = operand.strides.data() + shape.rank();
  for (const std::int64_t* extent = shape.end(); extent != shape.begin();) {
    --stride;
    if (*--extent == 1) continue;
    if (*stride == 0) repeats = true;
    else if (repeats || *stride != period) return 0;
    else period *= *extent;
  }
  return period;
}

/// A small result in row-major order, computed at once: collapsing dimensions would cost more than the arithmetic.
/// False if the operands with other layouts do not fit into the arena.
inline bool evaluate_few(const CompiledProgram& compiled, std::span<const program::Operand> operands,
                         const program::Destination& to, std::int64_t count) {
  SITU_ASSERT(count > 0);
  alignas(small_boundary) std::byte arena[small_arena_bytes];
  std::byte* room = arena;
  LeafCursors cursors;
  std::array<int, most_leaves> sizes;
  int leaf = 0;
  for (const program::Operand& operand : operands) {
    sizes[static_cast<std::size_t>(leaf)] = operand.element_size;
    const auto* data = static_cast<const std::byte*>(operand.data);
    const std::int64_t period = period_of(operand, to.shape);
    if (period == count) {
      cursors.set_adjacent(leaf++, data);
    } else if (period != 0 && compiled.lanes % period == 0) {
      cursors.set_repeated(leaf++, data, operand.element_size, period, compiled.lanes);
    } else {
      const std::int64_t bytes = (count * operand.element_size + small_boundary - 1) / small_boundary * small_boundary;
      if (bytes > arena + small_arena_bytes - room) return false;
      bring_together(operand, to.shape, 0, data, room);
      cursors.set_adjacent(leaf++, room);
      room += bytes;
    }
  }
  run_span(compiled, cursors.leaves(sizes.data(), leaf), static_cast<std::byte*>(to.data), count);
  return true;
}

template <std::same_as<Backend> B>
void evaluate_into(B, const CompiledProgram& compiled, std::span<const program::Operand> operands,
                   const program::Destination& to) {
  const std::int64_t elements = to.shape.count();
  const bool row_major = is_row_major(to.shape, to.strides);
  if (row_major && elements < 2 * elementwise_grain && evaluate_few(compiled, operands, to, elements)) return;
  auto* out = static_cast<std::byte*>(to.data);
  const bool in_place = std::any_of(operands.begin(), operands.end(),
                                    [&](const program::Operand& operand) { return operand.data == to.data; });
  const bool streamed = !in_place && elements * to.element_size >= large_output_bytes();
  if (row_major) {
    const TransposedEvaluation transposed(compiled, operands, to.shape);
    if (transposed.applies()) return transposed.run(out, elementwise_grain, streamed);
  }
  const Evaluation evaluation(compiled, operands, to.shape);
  if (!row_major) {
    parallel_for(0, elements, elementwise_grain,
                 [&](std::int64_t begin, std::int64_t end) { fill_strided(evaluation, to, begin, end); });
    return;
  }
  parallel_for(0, elements, elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
    if (streamed) fill_streamed(evaluation, begin, end, out);
    else evaluation.fill(begin, end, out + begin * to.element_size);
  });
}

/// One of several expressions.
struct Part {
  CompiledProgram compiled;
  std::span<const program::Operand> operands;
  const program::Destination* to;
};

/// Expressions of one shape, each into its own row-major storage: a tile of each in turn, so that shared operands are
/// read from memory once. Results of `streamed` bytes or more are written past the cache.
inline void evaluate_together(std::span<const Part> parts, std::int64_t elements, std::int64_t streamed) {
  std::vector<Evaluation> evaluations;
  evaluations.reserve(parts.size());
  for (const Part& part : parts) evaluations.emplace_back(part.compiled, part.operands, part.to->shape);
  parallel_for(0, elements, elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; begin += shared_tile_elements) {
      const std::int64_t stop = std::min(begin + shared_tile_elements, end);
      for (std::size_t at = 0; at < parts.size(); ++at) {
        const Evaluation& evaluation = evaluations[at];
        auto* out = static_cast<std::byte*>(parts[at].to->data);
        if (elements * evaluation.out_size() >= streamed) fill_streamed(evaluation, begin, stop, out);
        else evaluation.fill(begin, stop, out + begin * evaluation.out_size());
      }
    }
  });
}

template <std::same_as<Backend> B>
void evaluate_each(B backend, std::span<const Part> parts) {
  if (parts.empty()) return;
  const std::int64_t elements = parts.front().to->shape.count();
  if (parts.size() > 1 && elements >= fewest_evaluated_together) {
    return evaluate_together(parts, elements, large_output_bytes());
  }
  for (const Part& part : parts) evaluate_into(backend, part.compiled, part.operands, *part.to);
}

}  // namespace detail

/// Computes `program` over `to.shape` into `to`, whose elements are of type `T`. An operand may have exactly the
/// storage of the result: every element is read before it is overwritten.
template <Element T, class Program>
void elementwise(Backend backend, const Program& program, std::span<const program::Operand> operands,
                 const program::Destination& to) {
  detail::evaluate_into(backend, kernel_of<T>(program), operands, to);
}

/// The number of elements that one thread computes alone.
[[nodiscard]] constexpr std::int64_t few_elements(Backend) noexcept { return 2 * detail::elementwise_grain - 1; }

/// `elementwise` of at most `few_elements`, contiguous in the result and in the operands, which begin at `leaves`.
/// (Does what `run_span` does, but calls the kernel directly: its table costs as much as some arithmetic.)
template <Element T, class Program>
void elementwise_few(Backend, const Program& program, const void* const* leaves, std::int64_t count, T* out) {
  constexpr int lanes = detail::lanes_of<Program>;
  const std::int64_t whole = count & -std::int64_t{lanes};
  if (whole != 0) detail::kernel<Program, lanes, T>(&program, leaves, nullptr, out, whole, /*past_cache=*/false);
  if (whole == count) return;
  detail::run_last(
      kernel_of<T>(program),
      {leaves, nullptr, detail::element_sizes<program::leaf_types<Program>>, program::leaf_count_v<Program>},
      reinterpret_cast<std::byte*>(out), whole, count - whole);
}

/// Computes several optional expressions of one shape, each into its own row-major storage.
template <class... T, class... Program, std::size_t... Leaves>
void elementwise(Backend backend, const std::optional<program::Result<T, Program, Leaves>>&... results) {
  std::array<detail::Part, sizeof...(T)> parts;
  std::size_t count = 0;
  ((results ? static_cast<void>(parts[count++] = {kernel_of<T>(results->program), results->operands, &results->to})
            : static_cast<void>(0)),
   ...);
  detail::evaluate_each(backend, {parts.data(), count});
}

/// Copies elements between any two layouts.
template <Element T>
void copy_elements(Backend, const program::Operand& from, const program::Destination& to) {
  strided_copy<sizeof(T)>(from.data, from.strides, to.data, to.strides, to.shape);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
