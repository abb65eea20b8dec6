// SPDX-License-Identifier: Apache-2.0
// How windows move over images, of convolutions and poolings, and what is wrong with shapes that do not fit them.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/extents.hpp>
#include <situ/core/shape.hpp>
#include <situ/plan/window.hpp>

namespace situ::internal {

/// One axis of the windows over images with `in` positions; throws for invalid arguments, with a text that begins with
/// `operation` and `axis`, " (height)". `round_up` is `ceil_mode`.
[[nodiscard]] inline program::WindowAxis window_axis(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                                     std::int64_t padding, std::int64_t dilation, const char* operation,
                                                     bool round_up = false, const char* axis = "") {
  const auto name = [&] { return std::string(operation) + axis; };  // a call that does not fail builds no text
  constexpr std::int64_t most = std::int64_t{1} << 31;              // no product of two overflows
  const auto in_range = [&](std::int64_t value, std::int64_t least, const char* what) {
    if (value < least || value >= most)
      throw ValueError(name() + ": the " + what + " is " + std::to_string(value) + "; it must be " +
                       std::to_string(least) + " or more, and below 2^31");
  };
  in_range(kernel, 1, "extent of the kernel");
  in_range(stride, 1, "stride");
  in_range(padding, 0, "padding");
  in_range(dilation, 1, "dilation");
  in_range(in, 1, "extent of the axis");
  const std::int64_t reach = (kernel - 1) * dilation + 1;
  const std::int64_t padded = in + 2 * padding;
  if (reach > padded) {
    throw ShapeError(name() + ": a kernel of " + std::to_string(kernel) + " with dilation " + std::to_string(dilation) +
                     " reaches over " + std::to_string(reach) + " positions, but the axis has " + std::to_string(in) +
                     " and with its padding " + std::to_string(padded) + "; add padding, or use a smaller kernel");
  }
  std::int64_t out = (padded - reach + (round_up ? stride - 1 : 0)) / stride + 1;
  if (round_up && (out - 1) * stride >= in + padding) --out;  // no window begins after the image
  return {in, out, kernel, stride, padding, dilation};
}

/// How messages describe an operation whose windows move along the last `axes` axes.
struct WindowsOf {
  const char* operation;
  const char* extents;  // "height, width"
  int axes;
  const char* each;  // "images"
};

/// Throws `ShapeError` for shapes of x, the weight and, unless it is null, the bias that do not fit.
inline void require_convolution(const WindowsOf& windows, const Shape& x, const Shape& weight, const Shape* bias,
                                std::int64_t groups) {
  const int axes = windows.axes;
  // A call that does not fail builds no text.
  const auto shapes = [&] {
    return std::string(windows.operation) + ": shape " + x.to_string() + " and a weight of shape " + weight.to_string();
  };
  if ((x.rank() != axes + 2 && x.rank() != axes + 1) || weight.rank() != axes + 2) {
    const std::string extents = windows.extents;
    throw ShapeError(shapes() + "; x has shape (" + windows.each + ", channels, " + extents + ") or (channels, " +
                     extents + "), the weight (out, in / groups, " + extents + ")");
  }
  const std::int64_t channels = x[-1 - axes];
  if (groups < 1 || channels % groups != 0 || weight[0] % groups != 0) {
    throw ShapeError(shapes() + ": " + std::to_string(channels) + " and " + std::to_string(weight[0]) +
                     " channels cannot be shared by " + std::to_string(groups) +
                     " groups; both must be multiples of the groups, which are 1 or more");
  }
  if (channels == 0 || weight[0] == 0) {
    throw ShapeError(shapes() + ": there must be at least one channel on each side");
  }
  if (const std::int64_t read = product_of_extents(weight[1], groups, windows.operation); channels != read) {
    throw ShapeError(shapes() + " do not fit: x has " + std::to_string(channels) + " channels (axis " +
                     std::to_string(-1 - axes) + "), the weight reads " + std::to_string(read) + " (its axis 1" +
                     (groups == 1 ? "" : ", in each of " + std::to_string(groups) + " groups") +
                     "); they must be equal");
  }
  if (bias != nullptr && !(*bias == Shape{weight[0]})) {
    throw ShapeError(std::string(windows.operation) + ": a bias of shape " + bias->to_string() +
                     " with a weight of shape " + weight.to_string() + "; it must be " + Shape{weight[0]}.to_string() +
                     ", an element for each channel of the result");
  }
}

}  // namespace situ::internal
