// SPDX-License-Identifier: Apache-2.0
// Walks several operands of one shape together, row by row: what kernels with an index use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/shape.hpp>

namespace situ::internal::cpu {

/// Calls `f(offsets, first, length)` for the runs along the last axis that make up positions `[begin, end)` of a shape,
/// counted in row-major order: `offsets[k]` is where operand `k` has position `first`, in elements; its next ones
/// follow `strides[k][rank - 1]` apart. The shape has at least one axis.
template <std::size_t Operands, class F>
void for_each_run(const Shape& shape, const std::array<Strides, Operands>& strides, std::int64_t begin,
                  std::int64_t end, F&& f) {
  const auto last = static_cast<std::size_t>(shape.rank() - 1);
  std::array<std::int64_t, max_rank> position{};
  std::array<std::int64_t, Operands> offsets{};
  std::int64_t rest = begin;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    position[a] = rest % shape[axis];
    rest /= shape[axis];
    for (std::size_t k = 0; k < Operands; ++k) offsets[k] += position[a] * strides[k][a];
  }
  const std::int64_t extent = shape[-1];
  while (begin < end) {
    const std::int64_t length = std::min(extent - position[last], end - begin);
    f(offsets, begin, length);
    begin += length;
    for (std::size_t k = 0; k < Operands; ++k) offsets[k] -= position[last] * strides[k][last];
    position[last] = 0;
    for (int axis = shape.rank() - 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++position[a] < shape[axis]) {
        for (std::size_t k = 0; k < Operands; ++k) offsets[k] += strides[k][a];
        break;
      }
      position[a] = 0;
      for (std::size_t k = 0; k < Operands; ++k) offsets[k] -= (shape[axis] - 1) * strides[k][a];
    }
  }
}

}  // namespace situ::internal::cpu
