// SPDX-License-Identifier: Apache-2.0
// Reductions on GPUs: each is one kernel, which reads its operand or expression once. Results do not change from run to
// run on one kind of GPU; the shape and the number of multiprocessors determine the order of merging.
#pragma once

#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/kernels/reduce/columns.hpp>
#include <situ/cuda/kernels/reduce/contiguous.hpp>
#include <situ/cuda/kernels/reduce/thread_fold.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/plan/reduction_order.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/cuda/runtime/tickets.hpp>

namespace situ::internal::cuda {

namespace detail {

template <class Program, class T, class Leaves = leaf_types<Program>>
struct ReadVector {
  static constexpr int value = 1;  // constants are not read
};
template <class Program, class T, class First, class... Rest>
struct ReadVector<Program, T, program::TypeList<First, Rest...>> {
  static constexpr int value = vector_width<Program, First>;
};
/// The number of adjacent elements that a thread reads at once.
template <class Program, class T>
inline constexpr int read_vector = ReadVector<Program, T>::value;
/// The same if it has a state for each of them: as many as fit in registers, and in shared memory for half a block.
template <class Program, class T, class Fold>
inline constexpr int column_vector =
    std::max(1, std::min(read_vector<Program, T>,
                         static_cast<int>(std::bit_floor(
                             96 / std::max(sizeof(typename Fold::State), sizeof(typename Fold::Partial))))));

/// Memory for the states of several blocks, if there are several.
class StateMemory {
 public:
  StateMemory(const Backend& backend, std::int64_t states, int parts, std::size_t state_bytes)
      : scratch_(parts > 1 ? std::make_optional<Scratch>(backend, static_cast<std::size_t>(states) * state_bytes)
                           : std::nullopt),
        tickets_(parts > 1 ? situ::internal::cuda::tickets(backend) : nullptr) {}
  template <class State>
  [[nodiscard]] State* states() const noexcept {
    return scratch_ ? scratch_->as<State>() : nullptr;
  }
  [[nodiscard]] std::uint32_t* tickets() const noexcept { return tickets_; }

 private:
  std::optional<Scratch> scratch_;
  std::uint32_t* tickets_;
};

template <int V, class Fold, class Source, class Target>
void launch_rows(const Backend& backend, const Source& source, const Target& target, std::int64_t rows) {
  using Kernel = ReduceRows<Source, Fold, Target, V>;
  const RowPlan plan = row_plan(rows, target.count, V * Kernel::unroll, Kernel::threads,
                                std::int64_t{Kernel::blocks_at_once} * multiprocessors(backend), ticket_count);
  using State = typename Fold::State;
  const StateMemory memory(backend, rows * plan.parts, plan.parts, sizeof(State));
  launch(backend, Grid{plan.blocks},
         Kernel{source, target, rows, target.count, plan.width, plan.parts, plan.part, memory.states<State>(),
                memory.tickets()});
}

template <int V, class Fold, class Source, class Target>
void launch_columns(const Backend& backend, const Source& source, const Target& target, std::int64_t results,
                    std::int64_t inner) {
  using Kernel = ReduceColumns<Source, Fold, Target, V>;
  const ColumnPlan plan = column_plan(results / V, target.count, Kernel::unroll, Kernel::threads,
                                      std::int64_t{Kernel::blocks_at_once} * multiprocessors(backend), ticket_count);
  using State = typename Fold::State;
  const StateMemory memory(backend, results * plan.parts, plan.parts, sizeof(State));
  launch(backend, Grid{plan.blocks},
         Kernel{source, target, results, target.count, inner, plan.width, plan.parts, plan.part, memory.states<State>(),
                memory.tickets()});
}

}  // namespace detail

/// Reduces `program`, evaluated over `shape` with elements `T`, along the axes in `reduced`. `out` has a place for each
/// result, in row-major order of the kept axes. Positions (`argmin`) count in row-major order of the reduced ones.
template <Element T, class Operation, class Program>
void reduce(const Backend& backend, const Operation& operation, const Program& program,
            std::span<const program::Operand> operands, const Shape& shape, program::AxisSet reduced, void* out) {
  using Fold = ThreadFold<typename Operation::template Fold<reduction::read_t<T>>>;
  using Out = typename Operation::template result<T>;
  operands = operands.first(static_cast<std::size_t>(leaf_count_v<Program>));
  const program::ReductionOrder order =
      program::reduction_order(operands, shape, reduced, Operation::asks_for_position);
  const std::int64_t results = order.results();
  if (results == 0) return;
  // Without elements nothing is read, so the layout does not matter.
  const OperandLayout layout(operands, order.reduced == 0 ? Shape{} : shape, order.walk());
  const program::ResultPlaces places = program::result_places(shape, reduced, order);
  const detail::ReductionTarget<Operation, Out> target{
      operation, static_cast<Out*>(out), order.reduced,
      StridedIndex<std::int64_t, 1>(program::Axes<1>({places.strides}, places.shape))};
  const auto with_sources = [&](auto vector, bool whole_vectors, const auto& launch) {
    using Vector = decltype(vector);
    const bool aligned = whole_vectors && are_aligned_for(operands, Vector::value);
    if (aligned && layout.flat()) return launch(vector, FlatSource<Program>(program, operands));
    const StridedSource<Program> source(program, operands, layout);
    if (Vector::value > 1 && aligned && layout.vectors(Vector::value)) return launch(vector, source);
    launch(std::integral_constant<int, 1>{}, source);
  };
  if (order.inner == 1) {
    constexpr int vector = detail::read_vector<Program, T>;
    // A short row would consist of heads and tails only, unless it is a whole number of vectors.
    with_sources(std::integral_constant<int, vector>{}, order.reduced % vector == 0 || order.reduced >= 64 * vector,
                 [&](auto width, const auto& source) {
                   detail::launch_rows<decltype(width)::value, Fold>(backend, source, target, results);
                 });
  } else {
    constexpr int vector = detail::column_vector<Program, T, Fold>;
    with_sources(std::integral_constant<int, vector>{}, order.inner % vector == 0, [&](auto width, const auto& source) {
      detail::launch_columns<decltype(width)::value, Fold>(backend, source, target, results, order.inner);
    });
  }
}

}  // namespace situ::internal::cuda

#endif
