// SPDX-License-Identifier: Apache-2.0
// Sliding windows over images: the geometry of convolutions and poolings for all backends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/config.hpp>
#include <situ/plan/product.hpp>

namespace situ {

/// A number for each axis of an image, or one number for both: `.padding = 1`, `.stride = {2, 1}`.
struct Size2d {
  std::int64_t height;
  std::int64_t width;

  constexpr Size2d(std::int64_t both) noexcept : height(both), width(both) {}
  constexpr Size2d(std::int64_t height_, std::int64_t width_) noexcept : height(height_), width(width_) {}

  friend constexpr bool operator==(const Size2d&, const Size2d&) = default;

  /// `(3, 2)`.
  [[nodiscard]] std::string to_string() const {
    return "(" + std::to_string(height) + ", " + std::to_string(width) + ")";
  }
};

namespace internal::program {

/// One axis of the windows: window `o` reads those positions `o * stride - padding + i * dilation`, `i` below `kernel`,
/// that are in the image. `Index` is int64_t, or int32_t in kernels whose images and windows are below 2^31.
template <class Index>
struct WindowAxisOf {
  Index in = 0;
  Index out = 0;
  Index kernel = 1;
  Index stride = 1;
  Index padding = 0;
  Index dilation = 1;

  template <class Other>
  [[nodiscard]] constexpr explicit operator WindowAxisOf<Other>() const {
    return {static_cast<Other>(in),     static_cast<Other>(out),     static_cast<Other>(kernel),
            static_cast<Other>(stride), static_cast<Other>(padding), static_cast<Other>(dilation)};
  }

  /// The position that element 0 of a window reads; negative in the padding.
  [[nodiscard]] constexpr Index first(Index window) const { return window * stride - padding; }
  /// The first window whose element `i` is in the image; `end_window(i)` is one past the last.
  [[nodiscard]] constexpr Index first_window(Index i) const {
    const Index missing = padding - i * dilation;
    return missing <= 0 ? 0 : std::min(out, (missing + stride - 1) / stride);
  }
  [[nodiscard]] constexpr Index end_window(Index i) const {
    const Index room = in + padding - i * dilation;
    return room <= 0 ? first_window(i) : std::clamp((room + stride - 1) / stride, first_window(i), out);
  }
  /// The window whose element `i` is `position` of the image, or -1.
  [[nodiscard]] constexpr Index window_of(Index position, Index i) const {
    const Index distance = position + padding - i * dilation;
    if (distance < 0) return -1;
    const Index window = stride == 1 ? distance : distance / stride;
    return window < out && window * stride == distance ? window : -1;
  }
  /// The first element of a window that is in the image; `end_element(window)` is one past the last.
  [[nodiscard]] constexpr Index first_element(Index window) const {
    const Index missing = -first(window);
    return missing <= 0 ? 0 : (missing + dilation - 1) / dilation;
  }
  [[nodiscard]] constexpr Index end_element(Index window) const {
    const Index room = in - first(window);
    if (room > (kernel - 1) * dilation) return kernel;
    return room <= 0 ? 0 : (room + dilation - 1) / dilation;
  }
  /// The positions of a window without dilation, those in the padding included if `padded`.
  [[nodiscard]] constexpr Index extent_of(Index window, bool padded) const {
    const Index from = padded ? first(window) : std::max<Index>(first(window), 0);
    // The last window may reach beyond the padding.
    return std::min<Index>(padded ? in + padding : in, first(window) + kernel) - from;
  }
};
using WindowAxis = WindowAxisOf<std::int64_t>;

/// Windows over an image of `height.in` by `width.in`.
template <class Index>
struct Window2dOf {
  WindowAxisOf<Index> height, width;

  template <class Other>
  [[nodiscard]] constexpr explicit operator Window2dOf<Other>() const {
    return {static_cast<WindowAxisOf<Other>>(height), static_cast<WindowAxisOf<Other>>(width)};
  }

  [[nodiscard]] constexpr Index image() const { return height.in * width.in; }
  [[nodiscard]] constexpr Index windows() const { return height.out * width.out; }
  [[nodiscard]] constexpr Index kernel() const { return height.kernel * width.kernel; }
  /// Whether window `o` is element `o` of the image.
  [[nodiscard]] constexpr bool pointwise() const {
    return kernel() == 1 && height.stride == 1 && width.stride == 1 && height.padding == 0 && width.padding == 0;
  }
  /// The positions of a window without dilation, those in the padding included if `padded`.
  [[nodiscard]] constexpr Index extent_of(Index row, Index column, bool padded) const {
    return height.extent_of(row, padded) * width.extent_of(column, padded);
  }
  /// Whether every position is below 2^31, including those in the padding, of a few windows after the last, and of a
  /// few elements after the last of the kernel.
  [[nodiscard]] constexpr bool fits_32_bits() const {
    constexpr std::int64_t limit = std::int64_t{1} << 31;
    const auto reach = [](const WindowAxisOf<Index>& axis) {
      return axis.in + 2 * axis.padding + 8 * axis.stride + 4 * axis.dilation;
    };
    return windows() < limit && kernel() < limit && reach(height) < limit && reach(width) < limit &&
           (height.in + height.padding) * width.in < limit;  // rows of the padding count, though they are not read
  }
};
using Window2d = Window2dOf<std::int64_t>;

/// A convolution of images in NCHW order, all without gaps: x (images, groups * in_channels, height, width), the weight
/// (groups * out_channels, in_channels, kernel height, kernel width), y (images, groups * out_channels, windows).
struct Convolution {
  std::int64_t images = 0;
  std::int64_t groups = 1;
  std::int64_t in_channels = 0;   // of a group
  std::int64_t out_channels = 0;  // of a group
  Window2d window;
  Precision precision = Precision::full;
  /// The bytes that a GPU may use for the columns (im2col) of several images; a single image takes what it needs.
  std::int64_t working_memory = std::int64_t{1} << 28;

  /// The elements that one window of a group reads.
  [[nodiscard]] constexpr std::int64_t depth() const { return in_channels * window.kernel(); }
  /// The elements of one image of x, and of y.
  [[nodiscard]] constexpr std::int64_t image_in() const { return groups * in_channels * window.image(); }
  [[nodiscard]] constexpr std::int64_t image_out() const { return groups * out_channels * window.windows(); }
  [[nodiscard]] constexpr std::int64_t weights() const { return groups * out_channels * depth(); }
};

/// A window's element of an image, in `C`, and its position.
template <class C, class Index>
struct WindowElement {
  C value;
  Index position;
};

/// The largest element that a window reads from an image, `load(position)`, computed in `C`: the first of equal ones,
/// or the last NaN, which counts as the largest; minus infinity at -1 for a window that reads nothing. Used by every
/// backend.
template <class C, class Index, class Load>
[[SITU_INLINE]] constexpr WindowElement<C, Index> largest_of_window(const Window2dOf<Index>& window, Index row,
                                                                    Index column, const Load& load) {
  const WindowAxisOf<Index>& down = window.height;
  const WindowAxisOf<Index>& across = window.width;
  const Index top = down.first(row), first = down.first_element(row), end = down.end_element(row);
  const Index left = across.first(column), begin = across.first_element(column);
  const Index stop = across.end_element(column);
  C largest = -std::numeric_limits<C>::infinity();
  Index position = -1;
  if (first < end && begin < stop)
    position = (top + first * down.dilation) * across.in + left + begin * across.dilation;
  for (Index i = first; i < end; ++i) {
    const Index line = (top + i * down.dilation) * across.in + left;
    for (Index j = begin; j < stop; ++j) {
      const Index at = line + j * across.dilation;
      const C value = load(at);
      if (value > largest || value != value) {
        largest = value;
        position = at;
      }
    }
  }
  return {largest, position};
}

/// The pooling of `planes` images of one channel, without gaps; the windows of an average have no dilation.
struct Pooling {
  std::int64_t planes = 0;
  Window2d window;
  bool counts_padding = true;

  /// Whether sums over a window are accumulated in `double`: sequential sums in `float` would lose too much. The same
  /// on every device.
  [[nodiscard]] constexpr bool sums_many() const { return window.kernel() > 256; }
  /// The divisor of a window's sum for its average.
  [[nodiscard]] constexpr std::int64_t divisor(std::int64_t row, std::int64_t column) const {
    return window.extent_of(row, column, counts_padding);
  }
};

}  // namespace internal::program

}  // namespace situ
