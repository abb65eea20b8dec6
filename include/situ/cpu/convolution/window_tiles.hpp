// SPDX-License-Identifier: Apache-2.0
// The windows of a convolution in tiles, so that the data of a tile stays in the cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Some windows: rows [first_row, end_row) of images [first, end), in columns [first_column, end_column). Several whole
/// images, some rows of one, or a piece of a row.
struct WindowTile {
  std::int64_t first, end;
  std::int64_t first_row, end_row;
  std::int64_t first_column, end_column;

  [[nodiscard]] std::int64_t width() const { return end_column - first_column; }
  /// Window `o` of a row, counted from the first of the tile; the first or one past the last if it is outside.
  [[nodiscard]] std::int64_t column_of(std::int64_t o) const {
    return std::clamp(o, first_column, end_column) - first_column;
  }

  friend bool operator==(const WindowTile&, const WindowTile&) = default;
};

/// The windows of all images in tiles, whose number and size depend only on the convolution: sums over tiles are the
/// same with any number of threads.
struct WindowTiles {
  std::int64_t images, rows, width;  // totals
  std::int64_t images_each = 1;      // per tile; more than one only with all their rows
  std::int64_t rows_each = 1;        // likewise, only with all their columns
  std::int64_t columns_each;
  std::int64_t pieces = 1;  // tiles per row
  std::int64_t parts = 1;   // tiles per image
  std::int64_t image_tiles = 0;

  /// Tiles of up to `columns` windows, in whole rows and images if possible; those of an image are about equally large.
  /// A row of more than `widest` windows is cut into pieces: the working memory of a long signal, a single row, would
  /// otherwise be many times the signal's. (Not every row of more than `columns`: pieces read the elements between them
  /// twice.)
  WindowTiles(const program::Convolution& c, std::int64_t columns, std::int64_t widest)
      : images(c.images), rows(c.window.height.out), width(c.window.width.out), columns_each(width) {
    if (columns >= c.window.windows()) {
      images_each = std::min(columns / c.window.windows(), images);
      rows_each = rows;
    } else {
      rows_each = std::clamp<std::int64_t>(columns / width, 1, rows);
    }
    const std::int64_t row_parts = (rows - 1) / rows_each + 1;
    rows_each = (rows - 1) / row_parts + 1;
    if (width > std::max(columns, widest)) {
      columns_each = columns;
      pieces = (width - 1) / columns + 1;
    }
    parts = row_parts * pieces;
    image_tiles = (images - 1) / images_each + 1;
  }

  [[nodiscard]] std::int64_t count() const { return image_tiles * parts; }
  [[nodiscard]] WindowTile operator[](std::int64_t tile) const {
    const std::int64_t first = tile / parts * images_each;
    const std::int64_t row = tile % parts / pieces * rows_each;
    const std::int64_t column = tile % pieces * columns_each;
    return {first,  std::min(first + images_each, images), row, std::min(row + rows_each, rows),
            column, std::min(column + columns_each, width)};
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
