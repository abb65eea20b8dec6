// SPDX-License-Identifier: Apache-2.0
// Several element-wise results of one shape, computed together: a tile of each in turn, so that operands that they share
// come from memory once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <situ/cpu/copy.hpp>
#include <situ/cpu/elementwise.hpp>
#include <situ/cpu/evaluation.hpp>
#include <situ/cpu/program_lanes.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::cpu {

namespace detail {

/// Elements of one result before it is the next one's turn: what several results read of them, some ten operands, stays
/// in the second-level cache.
inline constexpr std::int64_t shared_tile_elements = 4096;

struct Part {
  Evaluation evaluation;
  std::byte* out;
  bool streamed;
};

inline void evaluate_each(std::span<const Part> parts, std::int64_t elements) {
  parallel_for(0, elements, elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; begin += shared_tile_elements) {
      const std::int64_t stop = std::min(begin + shared_tile_elements, end);
      for (const Part& part : parts) {
        if (part.streamed) fill_streamed(part.evaluation, begin, stop, part.out);
        else part.evaluation.fill(begin, stop, part.out + begin * part.evaluation.out_size());
      }
    }
  });
}

}  // namespace detail

/// Computes those results that are there, all of one shape, each into row-major storage of its own.
template <class... T, class... Program, std::size_t... Leaves>
void elementwise_each(Backend, const std::optional<program::Result<T, Program, Leaves>>&... results) {
  std::vector<detail::Part> parts;
  parts.reserve(sizeof...(T));
  std::int64_t elements = 0;
  const auto add = [&]<class U, class P, std::size_t N>(const std::optional<program::Result<U, P, N>>& result) {
    if (!result) return;
    elements = result->to.shape.count();
    parts.push_back({Evaluation(compile<U>(result->program), result->operands, result->to.shape),
                     static_cast<std::byte*>(result->to.data),
                     elements * result->to.element_size >= large_output_bytes()});
  };
  (add(results), ...);
  detail::evaluate_each(parts, elements);
}

}  // namespace situ::internal::cpu
