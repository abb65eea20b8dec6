// SPDX-License-Identifier: Apache-2.0
// Parts of images, copied with their padding.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/cpu/convolution/window_tiles.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/cpu/short_copy.hpp>
#include <situ/plan/window.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

struct PaddedImages;  // a purpose of working memory

/// The number of positions that `count` windows span.
[[nodiscard]] inline std::int64_t reach(const program::WindowAxis& axis, std::int64_t count) {
  return (count - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
}

/// The elements that a tile of windows reads, copied with their padding: element `element(...)` of a window is at
/// `window(...) + element(...)`, and in the next channel `plane` further. For `channels` channels at a time.
template <class T>
struct PaddedTile {
  const program::Convolution& c;
  std::int64_t channels;
  std::int64_t pitch;  // distance between rows
  std::int64_t image;  // distance between images in a channel
  std::int64_t plane;  // distance between channels

  PaddedTile(const program::Convolution& convolution, const WindowTiles& tiles, std::int64_t channels_each)
      : c(convolution), channels(channels_each) {
    pitch = reach(c.window.width, tiles.columns_each);
    image = reach(c.window.height, tiles.rows_each) * pitch;
    // An odd number of cache lines: channels whose distance is a power of two would share few sets of the cache.
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    plane = ((tiles.images_each * image + line - 1) / line | 1) * line;
  }

  /// Window `o` of a row, both counted from the first of the tile.
  [[nodiscard]] std::int64_t window(std::int64_t n, std::int64_t row, std::int64_t o) const {
    return n * image + row * c.window.height.stride * pitch + o * c.window.width.stride;
  }
  [[nodiscard]] std::int64_t element(std::int64_t i, std::int64_t j) const {
    return i * c.window.height.dilation * pitch + j * c.window.width.dilation;
  }

  /// A copy for `count` channels from `first` on, valid until this thread makes the next one.
  [[nodiscard]] const T* operator()(const T* x, const WindowTile& tile, std::int64_t first, std::int64_t count) const {
    const program::WindowAxis& down = c.window.height;
    const program::WindowAxis& across = c.window.width;
    T* const all = scratch<PaddedImages, T>(channels * plane);
    const std::int64_t top = down.first(tile.first_row), rows = image / pitch;
    const std::int64_t begin = std::clamp<std::int64_t>(-top, 0, rows);
    const std::int64_t end = std::clamp<std::int64_t>(down.in - top, begin, rows);
    const std::int64_t start = across.first(tile.first_column), skipped = std::clamp<std::int64_t>(start, 0, across.in);
    const std::int64_t left = std::clamp<std::int64_t>(-start, 0, pitch);
    const std::int64_t columns = std::min(across.in - skipped, pitch - left);
    for (std::int64_t channel = 0; channel < count; ++channel) {
      for (std::int64_t n = tile.first; n < tile.end; ++n) {
        T* to = all + channel * plane + (n - tile.first) * image;
        const T* from =
            x + n * c.image_in() + (first + channel) * c.window.image() + (top + begin) * across.in + skipped;
        clear_row(begin * pitch, to);
        to += begin * pitch;
        for (std::int64_t row = begin; row < end; ++row, from += across.in, to += pitch) {
          for (std::int64_t i = 0; i < left; ++i) to[i] = T(0);
          copy_row(from, columns, to + left);
          for (std::int64_t i = left + columns; i < pitch; ++i) to[i] = T(0);
        }
        clear_row((rows - end) * pitch, to);
      }
    }
    return all;
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
