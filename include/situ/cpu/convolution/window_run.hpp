// SPDX-License-Identifier: Apache-2.0
// The positions in an image of one kernel element of all windows.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Element (i, j) of the windows in rows [first_row, end_row): the rows [row, end_row) that have it in the image, and
/// in each of them the windows [begin, end); the first of all is at position `first` of the image.
struct WindowRun {
  std::int64_t row, end_row, begin, end;
  std::int64_t first;
  bool adjacent;  // rows are contiguous in the image as in the result, except for windows not in [begin, end)

  WindowRun(const program::Window2d& window, std::int64_t from_row, std::int64_t to_row, std::int64_t i,
            std::int64_t j) {
    const program::WindowAxis& down = window.height;
    const program::WindowAxis& across = window.width;
    begin = across.first_window(j);
    end = across.end_window(j);
    row = std::clamp(down.first_window(i), from_row, to_row);
    end_row = begin < end ? std::clamp(down.end_window(i), row, to_row) : row;
    first = (down.first(row) + i * down.dilation) * across.in + across.first(begin) + j * across.dilation;
    adjacent = down.stride == 1 && across.stride == 1 && across.in == across.out;
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
