// SPDX-License-Identifier: Apache-2.0
// The element-wise kernel of host devices: evaluates a program into a destination of any strides, on all threads.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <situ/core/shape.hpp>
#include <situ/cpu/copy.hpp>
#include <situ/cpu/evaluation.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::cpu {

namespace detail {

/// Below this number of elements a second thread costs more than it saves.
inline constexpr std::int64_t elementwise_grain = 16384;

/// Below it all operands of several expressions are in a cache anyway, and nothing is saved by computing them together.
inline constexpr std::int64_t fewest_evaluated_together = 32768;

/// Elements of one expression before it is the next one's turn: what several read of them, some ten operands, stays in
/// the second-level cache.
inline constexpr std::int64_t shared_tile_elements = 4096;

/// Elements computed at a time before they are streamed or scattered: 8 KiB of doubles, within the first-level cache.
/// (Of the 16 bytes of a complex element, twice that.)
inline constexpr std::int64_t staging_elements = 1024;
inline constexpr std::size_t staging_bytes = staging_elements * 16;

/// A result larger than the cache: computed a tile at a time and written past the cache, which saves the read of every
/// line that an ordinary store begins with.
inline void fill_streamed(const Evaluation& evaluation, std::int64_t begin, std::int64_t end, std::byte* out) {
  alignas(64) std::byte tile[staging_bytes];
  for (; begin < end; begin += staging_elements) {
    const std::int64_t length = std::min(staging_elements, end - begin);
    evaluation.fill(begin, begin + length, tile);
    stream_copy(out + begin * evaluation.out_size(), tile, static_cast<std::size_t>(length * evaluation.out_size()));
  }
  stream_fence();
}

/// A destination with gaps or permuted axes: runs along its last axis are computed in place when adjacent, else a tile
/// at a time and scattered.
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

/// A small result whose operands all lie as it does, or are one element: computed at once. Collapsing dimensions would
/// cost more than the arithmetic. False if the operands are not so.
inline bool evaluate_small(const CompiledProgram& compiled, std::span<const program::Operand> operands,
                           const program::Destination& to, std::int64_t count) {
  LaneBuffers splats;
  std::array<LeafCursor, most_leaves> cursors;
  std::array<int, most_leaves> sizes;
  for (std::size_t leaf = 0; leaf < operands.size(); ++leaf) {
    const program::Operand& operand = operands[leaf];
    bool flat = true;
    bool single = true;
    for (int axis = 0; axis < to.shape.rank(); ++axis) {
      const std::int64_t stride = operand.strides[static_cast<std::size_t>(axis)];
      if (to.shape[axis] == 1) continue;
      flat = flat && stride == to.strides[static_cast<std::size_t>(axis)];
      single = single && stride == 0;
    }
    sizes[leaf] = operand.element_size;
    const auto* data = static_cast<const std::byte*>(operand.data);
    if (flat) {
      cursors[leaf] = {data, -1};
    } else if (single) {
      splat(data, operand.element_size, compiled.lanes, splats.bytes[leaf]);
      cursors[leaf] = {splats.bytes[leaf], 0};
    } else {
      return false;
    }
  }
  run_span(compiled, cursors.data(), sizes.data(), static_cast<int>(operands.size()),
           static_cast<std::byte*>(to.data), count);
  return true;
}

template <std::same_as<Backend> B>
void evaluate_into(B, const CompiledProgram& compiled, std::span<const program::Operand> operands,
                   const program::Destination& to) {
  const std::int64_t elements = to.shape.count();
  const bool row_major = is_row_major(to.shape, to.strides);
  if (row_major && elements < 2 * elementwise_grain && evaluate_small(compiled, operands, to, elements)) return;
  const Evaluation evaluation(compiled, operands, to.shape);
  auto* out = static_cast<std::byte*>(to.data);
  if (!row_major) {
    parallel_for(0, elements, elementwise_grain,
                 [&](std::int64_t begin, std::int64_t end) { fill_strided(evaluation, to, begin, end); });
    return;
  }
  const bool in_place = std::any_of(operands.begin(), operands.end(),
                                    [&](const program::Operand& operand) { return operand.data == to.data; });
  const bool streamed = !in_place && elements * to.element_size >= large_output_bytes();
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

/// Expressions of one shape, into row-major storage of their own: a tile of each in turn, so that operands that they
/// share come from memory once. Results of `streamed` bytes or more are written past the cache.
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

/// A program with several results: leaves and results lie row-major, and results may lie where leaves do.
template <std::same_as<Backend> B>
void evaluate_several(B, const CompiledProgram& compiled, std::span<const program::Operand> operands,
                      std::span<const Place> to, std::int64_t count) {
  const std::int64_t grain = elementwise_grain / static_cast<std::int64_t>(to.size());
  parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    std::array<LeafCursor, most_leaves> cursors;
    std::array<int, most_leaves> sizes;
    std::array<Place, most_results> places;
    for (std::size_t leaf = 0; leaf < operands.size(); ++leaf) {
      sizes[leaf] = operands[leaf].element_size;
      cursors[leaf] = {static_cast<const std::byte*>(operands[leaf].data) + begin * sizes[leaf], -1};
    }
    for (std::size_t r = 0; r < to.size(); ++r) {
      places[r] = {to[r].data + begin * to[r].element_size, to[r].element_size};
    }
    run_span(compiled, cursors.data(), sizes.data(), static_cast<int>(operands.size()),
             std::span<const Place>(places.data(), to.size()), end - begin);
  });
}

}  // namespace detail

/// Computes `program` over `to.shape` into `to`, whose elements are of type `T`. Operands may lie exactly where the
/// result goes: every element is read before its place is written.
template <Element T, class Program>
void elementwise(Backend backend, const Program& program, std::span<const program::Operand> operands,
                 const program::Destination& to) {
  detail::evaluate_into(backend, kernel_of<T>(program), operands, to);
}

/// Computes those of several expressions of one shape that are there, each into row-major storage of its own.
template <class... T, class... Program, std::size_t... Leaves>
void elementwise(Backend backend, const std::optional<program::Result<T, Program, Leaves>>&... results) {
  std::array<detail::Part, sizeof...(T)> parts;
  std::size_t count = 0;
  ((results ? static_cast<void>(parts[count++] = {kernel_of<T>(results->program), results->operands, &results->to})
            : static_cast<void>(0)),
   ...);
  detail::evaluate_each(backend, {parts.data(), count});
}

/// Computes the `Several` results of one program, `count` elements of each; operands and results lie row-major. Results
/// may go where operands lie.
template <Element... T, class Program>
void elementwise(Backend backend, const Program& program, std::span<const program::Operand> operands,
                 std::int64_t count, T*... to) {
  const std::array<detail::Place, sizeof...(T)> places{
      detail::Place{reinterpret_cast<std::byte*>(to), static_cast<int>(sizeof(T))}...};
  detail::evaluate_several(backend, kernel_of<T...>(program), operands, places, count);
}

/// Copies elements between any two layouts.
template <Element T>
void copy_elements(Backend, const program::Operand& from, const program::Destination& to) {
  strided_copy<sizeof(T)>(from.data, from.strides, to.data, to.strides, to.shape);
}

}  // namespace situ::internal::cpu
