// SPDX-License-Identifier: Apache-2.0
// The reductions of host devices. An expression is read through `Evaluation`, so that it costs one small kernel; the
// code that reduces its elements is instantiated once for each operation and element type.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <situ/core/shape.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/reduce/contiguous.hpp>
#include <situ/cpu/reduce/fused.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/cpu/reduce/lane_fold.hpp>
#include <situ/cpu/reduce/moments.hpp>
#include <situ/cpu/reduce/panels.hpp>
#include <situ/cpu/reduce/position.hpp>
#include <situ/cpu/reduce/source.hpp>
#include <situ/device/cpu.hpp>
#include <situ/memory/storage.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/plan/reduction_order.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Results in the order in which they are computed.
inline void reduce_in_order(const Reducer& reducer, const ReductionSource& source, const program::ReductionOrder& order,
                            const ReductionResult& result) {
  if (order.inner > 1) return reduce_panels(reducer, source, order.outer, order.reduced, order.inner, result);
  if (reduces_transposed(order.outer, order.reduced)) {
    return reduce_transposed(reducer, source, order.outer, order.reduced, result);
  }
  reduce_rows(reducer, source, order.outer, order.reduced, result);
}

/// Results of no elements.
inline void reduce_nothing(const Reducer& reducer, std::int64_t results, const ReductionResult& result) {
  alignas(64) std::byte state[most_state_bytes];
  reducer.start(state);
  for (std::int64_t i = 0; i < results; ++i) {
    reducer.finish(state, result.operation, 0, result.out + i * reducer.result_size);
  }
}

/// The most elements in short rows that are faster to reduce directly than to transpose.
inline constexpr std::int64_t most_few_elements = 512;

/// The elements of a contiguous tensor, if its axes are kept ones, reduced ones and kept ones, in this order.
struct AdjacentElements {
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;

  [[nodiscard]] static std::optional<AdjacentElements> of(const Shape& shape, program::AxisSet reduced) noexcept {
    AdjacentElements found;
    int axis = 0;
    for (const std::int64_t extent : shape) {
      if (!program::contains(reduced, axis++)) (found.reduced == 1 ? found.outer : found.inner) *= extent;
      else if (found.inner == 1) found.reduced *= extent;
      else if (extent != 1) return std::nullopt;
    }
    return found;
  }
};

/// Few elements: does what `reduce_in_order` would do, without determining which other cases apply, which takes longer.
/// False if there are more, or they are not contiguous.
inline bool reduce_few(const Reducer& reducer, const void* elements, const Shape& shape, const Strides& strides,
                       program::AxisSet reduced, const void* operation, void* out) {
  const std::int64_t count = shape.count();
  if (count <= 1 || count > block_bytes / reducer.element_size || !is_row_major(shape, strides)) return false;
  if (reduced == (program::AxisSet{1} << shape.rank()) - 1) {
    reducer.rows(elements, operation, 1, count, out);
    return true;
  }
  const std::optional<AdjacentElements> found = AdjacentElements::of(shape, reduced);
  if (!found || found->reduced <= 1) return false;
  const auto [outer, length, inner] = *found;
  if (inner > 1) {
    if (outer > 1 || reducer.short_columns == nullptr || !is_one_wide_row(length, inner)) return false;
    reducer.short_columns(elements, operation, length, inner, out);
    return true;
  }
  if (reduces_transposed(outer, length)) {
    if (count > most_few_elements || reducer.short_rows == nullptr) return false;
    reducer.short_rows(elements, operation, outer, length, out);
    return true;
  }
  reducer.rows(elements, operation, outer, length, out);
  return true;
}

template <std::same_as<Backend> B>
void reduce_all_elements(B, const Reducer& reducer, const CompiledProgram& compiled, const ComputedRow& computed,
                         bool in_place, bool asks_position, std::span<const program::Operand> operands,
                         const Shape& shape, program::AxisSet reduced, const void* operation, std::byte* out) {
  const program::ReductionOrder order = program::reduction_order(operands, shape, reduced, asks_position);
  if (order.results() == 0) return;
  ReductionResult result{operation, order.reduced, out};
  if (order.reduced == 0) return reduce_nothing(reducer, order.results(), result);
  const ReductionSource source(compiled, computed, in_place, operands, shape, order);
  if (order.kept_logical) return reduce_in_order(reducer, source, order, result);

  // Results are computed in the memory order of the elements; they are few, and are put into row-major order
  // afterwards.
  const Storage<Cpu> storage =
      Storage<Cpu>::allocate(static_cast<std::size_t>(order.results()) * static_cast<std::size_t>(reducer.result_size));
  result.out = static_cast<std::byte*>(storage.data());
  reduce_in_order(reducer, source, order, result);
  const program::ResultPlaces places = program::result_places(shape, reduced, order);
  reducer.copy_results(result.out, row_major_strides(places.shape), out, places.strides, places.shape);
}

}  // namespace detail

/// Reduces `program`, evaluated over `shape` with elements `T`, along the axes in `reduced`. `out` has an element for
/// each result, in row-major order of the axes that are kept. Positions (`argmin`) count in row-major order of the
/// others.
template <Element T, class Operation, class Program>
void reduce(Backend backend, const Operation& operation, const Program& program,
            std::span<const program::Operand> operands, const Shape& shape, program::AxisSet reduced, void* out) {
  // Half-precision elements are widened on the way; `bool` is read as stored bytes.
  using Tile = std::conditional_t<std::same_as<T, bool>, bool, compute_t<T>>;
  constexpr bool in_place = detail::is_leaf_of<Program, Tile>;
  detail::reduce_all_elements(backend, reducer<Operation, T>(backend), kernel_of<Tile>(program),
                              computed_row_of<fold_of<Operation, T>, Program>(), in_place, Operation::asks_for_position,
                              operands, shape, reduced, &operation, static_cast<std::byte*>(out));
}

/// The same for the elements of a tensor, if they are contiguous and few; otherwise false. Elements that are not
/// computed in their own type, such as 16-bit floats, are widened by a program.
template <Element T, class Operation>
  requires OneOf<T, bool, compute_t<T>>
[[nodiscard]] bool reduce_few(Backend backend, const Operation& operation, const T* elements, const Shape& shape,
                              const Strides& strides, program::AxisSet reduced, void* out) {
  return detail::reduce_few(reducer<Operation, T>(backend), elements, shape, strides, reduced, &operation, out);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
