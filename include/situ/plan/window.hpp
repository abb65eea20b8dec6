// SPDX-License-Identifier: Apache-2.0
// Windows that move over images: the geometry of convolutions and poolings, as every backend sees it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/plan/product.hpp>

namespace situ {

/// A number for each axis of an image, or one for both: `.padding = 1`, `.stride = {2, 1}`.
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

/// One axis of the windows: window `o` reads positions `o * stride - padding + i * dilation` for `i` below `kernel`, as
/// far as the image has them.
struct WindowAxis {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;

  /// The position that element 0 of a window reads; negative in the padding.
  [[nodiscard]] constexpr std::int64_t first(std::int64_t window) const { return window * stride - padding; }
  /// The windows whose element `i` lies in the image: from this one up to, and not including, `end_window(i)`.
  [[nodiscard]] constexpr std::int64_t first_window(std::int64_t i) const {
    const std::int64_t missing = padding - i * dilation;
    return missing <= 0 ? 0 : std::min(out, (missing + stride - 1) / stride);
  }
  [[nodiscard]] constexpr std::int64_t end_window(std::int64_t i) const {
    const std::int64_t room = in + padding - i * dilation;
    return room <= 0 ? first_window(i) : std::clamp((room + stride - 1) / stride, first_window(i), out);
  }
  /// The window whose element `i` is `position` of the image, or -1.
  [[nodiscard]] constexpr std::int64_t window_of(std::int64_t position, std::int64_t i) const {
    const std::int64_t distance = position + padding - i * dilation;
    if (distance < 0) return -1;
    const std::int64_t window = stride == 1 ? distance : distance / stride;
    return window < out && window * stride == distance ? window : -1;
  }
  /// The elements of a window that lie in the image: from this one up to, and not including, `end_element(window)`.
  [[nodiscard]] constexpr std::int64_t first_element(std::int64_t window) const {
    const std::int64_t missing = -first(window);
    return missing <= 0 ? 0 : (missing + dilation - 1) / dilation;
  }
  [[nodiscard]] constexpr std::int64_t end_element(std::int64_t window) const {
    const std::int64_t room = in - first(window);
    if (room > (kernel - 1) * dilation) return kernel;
    return room <= 0 ? 0 : (room + dilation - 1) / dilation;
  }
  /// The positions of a window without dilation, those in the padding included if `padded`.
  [[nodiscard]] constexpr std::int64_t extent_of(std::int64_t window, bool padded) const {
    if (!padded) return end_element(window) - first_element(window);
    const std::int64_t room = in + padding - first(window);  // the last window may reach over the padding
    return room < kernel ? room : kernel;
  }
};

/// Windows over an image of `height.in` by `width.in`.
struct Window2d {
  WindowAxis height, width;

  [[nodiscard]] constexpr std::int64_t image() const { return height.in * width.in; }
  [[nodiscard]] constexpr std::int64_t windows() const { return height.out * width.out; }
  [[nodiscard]] constexpr std::int64_t kernel() const { return height.kernel * width.kernel; }
  /// Whether window `o` is element `o` of the image.
  [[nodiscard]] constexpr bool pointwise() const {
    return kernel() == 1 && height.stride == 1 && width.stride == 1 && height.padding == 0 && width.padding == 0;
  }
};

/// A convolution of images in NCHW order, all without gaps: x (images, groups * in_channels, height, width), the weight
/// (groups * out_channels, in_channels, kernel height, kernel width), y (images, groups * out_channels, windows).
struct Convolution {
  std::int64_t images = 0;
  std::int64_t groups = 1;
  std::int64_t in_channels = 0;   // of a group
  std::int64_t out_channels = 0;  // of a group
  Window2d window;
  Precision precision = Precision::full;
  /// The bytes that a GPU may use for the columns of several images; one image takes what it needs.
  std::int64_t working_memory = std::int64_t{1} << 28;

  /// The elements that one window of a group reads.
  [[nodiscard]] constexpr std::int64_t depth() const { return in_channels * window.kernel(); }
  /// The elements of one image of x, and of y.
  [[nodiscard]] constexpr std::int64_t image_in() const { return groups * in_channels * window.image(); }
  [[nodiscard]] constexpr std::int64_t image_out() const { return groups * out_channels * window.windows(); }
  [[nodiscard]] constexpr std::int64_t weights() const { return groups * out_channels * depth(); }
};

/// The largest element that a window reads of `image`, computed in `C`, and its position: the first of equal ones, the
/// last NaN, which counts as the largest; minus infinity and -1 for a window that reads nothing. Of every backend.
template <class C, class T>
constexpr C largest_of_window(const Window2d& window, const T* image, std::int64_t row, std::int64_t column,
                              std::int64_t& position) {
  const WindowAxis& down = window.height;
  const WindowAxis& across = window.width;
  const std::int64_t top = down.first(row), first = down.first_element(row), end = down.end_element(row);
  const std::int64_t left = across.first(column), begin = across.first_element(column);
  const std::int64_t stop = across.end_element(column);
  C largest = -std::numeric_limits<C>::infinity();
  position = -1;
  if (first < end && begin < stop)
    position = (top + first * down.dilation) * across.in + left + begin * across.dilation;
  for (std::int64_t i = first; i < end; ++i) {
    const std::int64_t line = (top + i * down.dilation) * across.in + left;
    for (std::int64_t j = begin; j < stop; ++j) {
      const auto value = static_cast<C>(image[line + j * across.dilation]);
      if (value > largest || value != value) {
        largest = value;
        position = line + j * across.dilation;
      }
    }
  }
  return largest;
}

/// The pooling of `planes` images of one channel, without gaps; the windows of an average have no dilation.
struct Pooling {
  std::int64_t planes = 0;
  Window2d window;
  bool counts_padding = true;

  /// What the sum of a window is divided by for its average.
  [[nodiscard]] constexpr std::int64_t divisor(std::int64_t row, std::int64_t column) const {
    return window.height.extent_of(row, counts_padding) * window.width.extent_of(column, counts_padding);
  }
};

}  // namespace internal::program

}  // namespace situ
