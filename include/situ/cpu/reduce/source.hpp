// SPDX-License-Identifier: Apache-2.0
// The elements of a reduction in the order in which it visits them: those of a tensor in place, of an expression by
// tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <situ/core/shape.hpp>
#include <situ/cpu/evaluation.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/cpu/program_span.hpp>
#include <situ/cpu/reduce/fused.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction_order.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The elements of a reduction in the order in which it visits them.
class ReductionSource {
 public:
  /// `in_place`: the program is a single leaf whose elements the kernels can read directly. The targets of `compiled`
  /// must outlive this.
  ReductionSource(const CompiledProgram& compiled, const ComputedRow& computed, bool in_place,
                  std::span<const program::Operand> operands, const Shape& shape, const program::ReductionOrder& order)
      : size_(compiled.out_size),
        computed_(computed),
        rows_(in_place ? program::Axes<1>({operands[0].strides}, shape, order.walk()) : program::Axes<1>()) {
    if (in_place) {
      base_ = static_cast<const std::byte*>(operands[0].data);
      const int last = rows_.rank() - 1;
      is_run_ = last == 0 && rows_.stride(0) == 1;
      if (rows_.stride(last) == 1) run_ = rows_.extent(last);
      rows_.remove(last);
    }
    if (!is_run_) evaluation_.emplace(compiled, operands, shape, order.walk());
  }

  /// How many elements are contiguous in memory, from each multiple of it on; 0 if none can be read in place.
  [[nodiscard]] std::int64_t run() const noexcept { return run_; }

  /// Whether all elements are one such run.
  [[nodiscard]] bool is_run() const noexcept { return is_run_; }

  /// Elements `[begin, end)`: in place, or computed to `tile`.
  [[nodiscard]] const std::byte* read(std::int64_t begin, std::int64_t end, std::byte* tile) const {
    if (is_run_) return base_ + begin * size_;
    if (run_ > 0) {
      const std::int64_t row = begin / run_;
      const std::int64_t offset = begin - row * run_;
      if (end - begin <= run_ - offset) return base_ + (rows_.offsets(row)[0] + offset) * size_;
    }
    evaluation_->fill(begin, end, tile);
    return tile;
  }

  /// Adds elements `[begin, end)`, at most a block, to a state; `position` is that of the first.
  void reduce(const Reducer& reducer, std::int64_t begin, std::int64_t end, std::int64_t position, std::byte* tile,
              void* state) const {
    if (computed_.reduce == nullptr || !evaluation_->is_flat()) {
      return reducer.row(state, read(begin, end, tile), end - begin, position);
    }
    const std::int64_t whole = (end - begin) / computed_.together * computed_.together;
    const std::int64_t before = whole == 0 ? 0 : computed_.before;
    const std::int64_t first = begin + whole - before;  // the first of the last ones
    if (begin + whole != end) evaluation_->fill(first, end, tile);
    evaluation_->visit_flat(begin, [&](const void* program, const detail::SpanLeaves& leaves) {
      computed_.reduce(state, program, leaves.data, leaves.masks, whole, tile, before, end - first);
    });
  }

 private:
  int size_;
  ComputedRow computed_;
  bool is_run_ = false;  // all elements are one run
  std::int64_t run_ = 0;
  const std::byte* base_ = nullptr;
  program::Axes<1> rows_;  // the rows of runs
  std::optional<Evaluation> evaluation_;
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
