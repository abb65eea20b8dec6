// SPDX-License-Identifier: Apache-2.0
// The positions in an image of one kernel element of all windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Element (i, j) of the windows in rows [from_row, to_row) and columns [from_column, to_column): the rows
/// [row, end_row) that have it in the image, and in each of them the windows [begin, end); the first of all is at
/// position `first` of the image.
struct WindowRun {
  std::int64_t row, end_row, begin, end;
  std::int64_t first;
  bool adjacent;  // whole rows are contiguous in the image as in the result, except for windows not in [begin, end)

  WindowRun(const program::Window2d& window, std::int64_t from_row, std::int64_t to_row, std::int64_t i, std::int64_t j)
      : WindowRun(window, from_row, to_row, 0, window.width.out, i, j) {}

  WindowRun(const program::Window2d& window, std::int64_t from_row, std::int64_t to_row, std::int64_t from_column,
            std::int64_t to_column, std::int64_t i, std::int64_t j) {
    const program::WindowAxis& down = window.height;
    const program::WindowAxis& across = window.width;
    std::tie(begin, end) = windows(across, j, from_column, to_column);
    std::tie(row, end_row) = windows(down, i, from_row, to_row);
    if (begin >= end) end_row = row;
    first = (down.first(row) + i * down.dilation) * across.in + across.first(begin) + j * across.dilation;
    adjacent = down.stride == 1 && across.stride == 1 && across.in == across.out;
  }

 private:
  /// Those of [from, to) that have element i in the image. A division takes as long as copying a short run.
  [[nodiscard]] static std::pair<std::int64_t, std::int64_t> windows(const program::WindowAxis& axis, std::int64_t i,
                                                                     std::int64_t from, std::int64_t to) {
    const bool each = axis.stride == 1;
    const std::int64_t first = std::clamp(each ? axis.padding - i * axis.dilation : axis.first_window(i), from, to);
    return {first, std::clamp(each ? axis.in + axis.padding - i * axis.dilation : axis.end_window(i), first, to)};
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
