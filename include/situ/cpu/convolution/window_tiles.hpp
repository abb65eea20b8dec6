// SPDX-License-Identifier: Apache-2.0
// The windows of a convolution in tiles, so that the data of a tile stays in the cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Some windows: rows [first_row, end_row) of images [first, end). Several whole images, or a part of one.
struct WindowTile {
  std::int64_t first, end;
  std::int64_t first_row, end_row;
};

/// The windows of all images in tiles, whose number and size depend only on the convolution: sums over tiles are the
/// same with any number of threads.
struct WindowTiles {
  std::int64_t images, rows;     // totals
  std::int64_t images_each = 1;  // per tile; more than one only with all their rows
  std::int64_t rows_each = 1;
  std::int64_t parts = 1;  // tiles per image
  std::int64_t image_tiles = 0;

  /// Tiles of up to `columns` windows, in whole rows and images if possible; those of an image are about equally large.
  WindowTiles(const program::Convolution& c, std::int64_t columns) : images(c.images), rows(c.window.height.out) {
    if (columns >= c.window.windows()) {
      images_each = std::min(columns / c.window.windows(), images);
      rows_each = rows;
    } else {
      rows_each = std::clamp<std::int64_t>(columns / c.window.width.out, 1, rows);
    }
    parts = (rows - 1) / rows_each + 1;
    rows_each = (rows - 1) / parts + 1;
    image_tiles = (images - 1) / images_each + 1;
  }

  [[nodiscard]] std::int64_t count() const { return image_tiles * parts; }
  [[nodiscard]] WindowTile operator[](std::int64_t tile) const {
    const std::int64_t first = tile / parts * images_each;
    const std::int64_t row = tile % parts * rows_each;
    return {first, std::min(first + images_each, images), row, std::min(row + rows_each, rows)};
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
