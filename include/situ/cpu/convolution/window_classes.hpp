// SPDX-License-Identifier: Apache-2.0
// The windows of a tile, grouped by the kernel elements that they have in the image: elements in the padding would only
// be multiplied by zero, a tenth of 3 x 3 over 14 x 14, and nearly a fifth of 3 x 3 over 7 x 7.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/cpu/convolution/indirect_gemm.hpp>
#include <situ/cpu/convolution/padded_tile.hpp>
#include <situ/cpu/convolution/window_tiles.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

// Purposes of working memory.
struct WindowRows;
struct WindowParts;
struct WindowSteps;
struct StepPlaces;

/// Windows [first, end) of an axis, whose kernel elements outside [begin, stop) are all in the padding.
struct AxisPart {
  std::int64_t first, end, begin, stop;

  /// As many windows as have the same elements, from `first` on; or all of them, with all elements.
  AxisPart(const program::WindowAxis& axis, std::int64_t from, std::int64_t to, bool apart)
      : first(from), end(to), begin(0), stop(axis.kernel) {
    if (!apart) return;
    // Neither increases along the axis: at most 2 * kernel + 1 parts, even if the padding is wider than the kernel.
    const auto begin_of = [&axis](std::int64_t window) { return std::min(axis.kernel, axis.first_element(window)); };
    begin = begin_of(first);
    stop = axis.end_element(first);
    for (end = first + 1; end < to; ++end) {
      if (begin_of(end) != begin || axis.end_element(end) != stop) break;
    }
  }
};

/// Some windows of a tile, as rows of a product.
struct WindowClass {
  AxisPart down, across;
  const OffsetPair* rows;
  std::int64_t count;
};

/// The windows of a tile, each in one class. Its pointers are valid until this thread makes the next one.
struct WindowClasses {
  WindowTile of;
  WindowClass* first;
  std::int64_t count = 0;

  /// Row `w` of the result, in the order of the windows, is at `w * stride`.
  template <class T>
  WindowClasses(const PaddedTile<T>& padded, const WindowTile& tile, std::int64_t stride) : of(tile) {
    const program::WindowAxis& down = padded.c.window.height;
    const program::WindowAxis& across = padded.c.window.width;
    const std::int64_t images = tile.end - tile.first, rows = tile.end_row - tile.first_row;
    // With fewer windows a product waits for its sums longer than the padding takes. Decided per image, not per tile:
    // which products with infinite weights are skipped must not depend on neighboring images.
    constexpr std::int64_t least = 4;
    const bool down_apart = across.out >= least, across_apart = down.out >= least;
    const std::int64_t width = tile.width();
    const auto most_parts = [](const program::WindowAxis& axis, std::int64_t windows, bool apart) {
      return apart ? std::min(windows, 2 * axis.kernel + 1) : 1;
    };
    OffsetPair* row = scratch<WindowRows, OffsetPair>(images * rows * width);
    first =
        scratch<WindowParts, WindowClass>(most_parts(down, rows, down_apart) * most_parts(across, width, across_apart));
    for (std::int64_t i = tile.first_row; i < tile.end_row;) {
      const AxisPart high(down, i, tile.end_row, down_apart);
      for (std::int64_t j = tile.first_column; j < tile.end_column;) {
        const AxisPart wide(across, j, tile.end_column, across_apart);
        first[count++] = {high, wide, row, images * (high.end - high.first) * (wide.end - wide.first)};
        for (std::int64_t n = 0; n < images; ++n) {
          for (std::int64_t r = high.first - tile.first_row; r < high.end - tile.first_row; ++r) {
            for (std::int64_t o = wide.first - tile.first_column; o < wide.end - tile.first_column; ++o)
              *row++ = {padded.window(n, r, o), ((n * rows + r) * width + o) * stride};
          }
        }
        j = wide.end;
      }
      i = high.end;
    }
  }

  /// Whether another tile has the same classes, for other images.
  [[nodiscard]] bool are_of(const WindowTile& tile) const {
    WindowTile same = of;
    same.first = tile.first;
    same.end = tile.first + (of.end - of.first);
    return tile == same;
  }
};

/// The windows of a tile as steps of a product: for each row of the kernel, the rows of windows that have it in the
/// image (or once, all rows). Valid until this thread makes the next one.
struct RowSteps {
  ProductSteps* of_row;

  /// B has its rows `stride` apart, in the order of the windows.
  template <class T>
  RowSteps(const PaddedTile<T>& padded, const WindowTile& tile, std::int64_t stride, bool apart) {
    const program::WindowAxis& down = padded.c.window.height;
    const std::int64_t width = tile.width();
    const std::int64_t images = tile.end - tile.first, rows = tile.end_row - tile.first_row;
    const std::int64_t count = apart ? down.kernel : 1;
    of_row = scratch<WindowSteps, ProductSteps>(count);
    OffsetPair* place = scratch<StepPlaces, OffsetPair>(count * images * rows);
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t begin = tile.first_row, end = tile.end_row;
      if (apart) {
        begin = std::clamp(down.first_window(i), begin, end);
        end = std::clamp(down.end_window(i), begin, end);
      }
      of_row[i] = {place, images * (end - begin), width, padded.c.window.width.stride, stride};
      for (std::int64_t n = 0; n < images; ++n) {
        for (std::int64_t row = begin - tile.first_row; row < end - tile.first_row; ++row)
          *place++ = {padded.window(n, row, 0), (n * rows + row) * width * stride};
      }
    }
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
