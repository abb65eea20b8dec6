// SPDX-License-Identifier: Apache-2.0
// Parts of images, copied with the padding around them, and where in the copy each window finds its elements.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/cpu/scratch.hpp>
#include <situ/cpu/short_row.hpp>
#include <situ/cpu/window_tiles.hpp>
#include <situ/plan/window.hpp>

namespace situ::internal::cpu::detail {

// Purposes of working memory.
struct PaddedImages;
struct WindowOffsets;
struct ElementOffsets;

/// The order of the elements of a window: those of a channel follow one another, or come last first (in the gradient of
/// the images, which is a convolution with the kernels turned round).
enum class KernelOrder { forward, backward };

/// The positions that `count` windows reach over.
[[nodiscard]] inline std::int64_t reach(const program::WindowAxis& axis, std::int64_t count) {
  return (count - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
}

/// What a tile of windows reads, copied with its padding: window `w` finds element `e` at `windows[w] + elements[e]`.
/// For `channels` channels at a time.
template <class T>
struct PaddedTile {
  const program::Convolution& c;
  std::int64_t channels;
  std::int64_t pitch;  // of a row
  std::int64_t image;  // of an image in a channel
  std::int64_t plane;  // of a channel
  const std::int64_t* windows;
  const std::int64_t* elements;

  /// The offsets are valid until this thread makes the next one; all threads may read them.
  PaddedTile(const program::Convolution& convolution, const WindowTiles& tiles, std::int64_t channels_each,
             KernelOrder order)
      : c(convolution), channels(channels_each) {
    const program::WindowAxis& down = c.window.height;
    const program::WindowAxis& across = c.window.width;
    pitch = reach(across, across.out);
    image = reach(down, tiles.rows_each) * pitch;
    // An odd number of cache lines: channels whose distance is a power of two would share few places of the cache.
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    plane = ((tiles.images_each * image + line - 1) / line | 1) * line;
    std::int64_t* to = scratch<WindowOffsets, std::int64_t>(tiles.images_each * tiles.rows_each * across.out);
    windows = to;
    for (std::int64_t n = 0; n < tiles.images_each; ++n) {
      for (std::int64_t row = 0; row < tiles.rows_each; ++row) {
        for (std::int64_t o = 0; o < across.out; ++o) *to++ = n * image + row * down.stride * pitch + o * across.stride;
      }
    }
    to = scratch<ElementOffsets, std::int64_t>(channels * c.window.kernel());
    elements = to;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t k = 0; k < c.window.kernel(); ++k) {
        const std::int64_t at = order == KernelOrder::forward ? k : c.window.kernel() - 1 - k;
        *to++ = channel * plane + at / across.kernel * down.dilation * pitch + at % across.kernel * across.dilation;
      }
    }
  }

  /// A copy for `count` channels from `first` on, valid until this thread makes the next one.
  [[nodiscard]] const T* operator()(const T* x, const WindowTile& tile, std::int64_t first, std::int64_t count) const {
    const program::WindowAxis& down = c.window.height;
    const program::WindowAxis& across = c.window.width;
    T* const all = scratch<PaddedImages, T>(channels * plane);
    const std::int64_t top = down.first(tile.first_row), rows = image / pitch;
    const std::int64_t begin = std::clamp<std::int64_t>(-top, 0, rows);
    const std::int64_t end = std::clamp<std::int64_t>(down.in - top, begin, rows);
    const std::int64_t left = std::min(across.padding, pitch), columns = std::min(across.in, pitch - left);
    for (std::int64_t channel = 0; channel < count; ++channel) {
      for (std::int64_t n = tile.first; n < tile.end; ++n) {
        T* to = all + channel * plane + (n - tile.first) * image;
        const T* from = x + n * c.image_in() + (first + channel) * c.window.image() + (top + begin) * across.in;
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

}  // namespace situ::internal::cpu::detail
