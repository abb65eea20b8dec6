// SPDX-License-Identifier: Apache-2.0
// Boxes of tensors stored in files: the runs of adjacent elements that two boxes have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <situ/core/shape.hpp>

namespace situ::internal::io {

/// A box of a tensor: `extents` positions along each axis, from `begin` on.
struct Box {
  Shape begin;
  Shape extents;

  /// The whole tensor of that shape.
  [[nodiscard]] static Box all_of(const Shape& shape) {
    Box box{{}, shape};
    for (int axis = 0; axis < shape.rank(); ++axis) box.begin.push_back(0);
    return box;
  }
  /// ... but along one axis only `count` positions, from `first` on.
  [[nodiscard]] static Box along(const Shape& shape, int axis, std::int64_t first, std::int64_t count) {
    Box box = all_of(shape);
    box.begin.set(axis, first);
    box.extents.set(axis, count);
    return box;
  }
};

/// For two boxes of one tensor, each stored row by row: calls `f(from, to, count)` for each run of elements that they
/// have in common, with the index of its first element in either storage.
template <class F>
void for_each_common_run(const Box& from, const Box& to, F&& f) {
  const int rank = from.extents.rank();
  std::array<std::int64_t, max_rank> from_first{}, to_first{}, count{}, at{};
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t begin = std::max(from.begin[axis], to.begin[axis]);
    const std::int64_t end = std::min(from.begin[axis] + from.extents[axis], to.begin[axis] + to.extents[axis]);
    if (end <= begin) return;
    const auto i = static_cast<std::size_t>(axis);
    from_first[i] = begin - from.begin[axis];
    to_first[i] = begin - to.begin[axis];
    count[i] = end - begin;
  }
  // The axes from `outer` on are contiguous in both, except that the first of them need not be complete.
  int outer = rank;
  std::int64_t run = 1;
  while (outer > 0) {
    const std::int64_t common = count[static_cast<std::size_t>(--outer)];
    run *= common;
    if (common != from.extents[outer] || common != to.extents[outer]) break;
  }
  const auto first_of = [&](const Box& box, const std::array<std::int64_t, max_rank>& first) {
    std::int64_t number = 0;
    for (int axis = 0; axis < rank; ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      number = number * box.extents[axis] + first[i] + at[i];
    }
    return number;
  };
  for (;;) {
    f(first_of(from, from_first), first_of(to, to_first), run);
    int axis = outer - 1;
    for (; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      if (++at[i] < count[i]) break;
      at[i] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace situ::internal::io
