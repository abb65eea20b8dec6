// SPDX-License-Identifier: Apache-2.0
// The convolutions of the CPU benchmark.
#pragma once

#include <cstdint>
#include <string>

namespace convolution {

/// `images` of `channels` x `side` x `side`, a square kernel with half of it as padding.
struct Case {
  std::int64_t images, channels, side, out_channels, kernel, stride, groups;

  [[nodiscard]] std::int64_t padding() const { return kernel / 2; }
  [[nodiscard]] std::int64_t out_side() const { return (side + 2 * padding() - kernel) / stride + 1; }
  [[nodiscard]] std::string row(const char* what) const {
    const std::string times = std::to_string(images) + "x";
    return "conv2d, " + times + std::to_string(channels) + "x" + std::to_string(side) + "x" + std::to_string(side) +
           " to " + std::to_string(out_channels) + ", " + std::to_string(kernel) + "x" + std::to_string(kernel) +
           (stride == 1 ? "" : ", stride " + std::to_string(stride)) + (groups == 1 ? "" : ", depthwise") + ": " + what;
  }
};

inline constexpr const char* result = "result";
inline constexpr const char* image_gradient = "gradient of the images";
inline constexpr const char* weight_gradient = "gradient of the weight";

inline constexpr Case cases[] = {
    {64, 1, 28, 16, 3, 1, 1},     {64, 16, 14, 32, 3, 1, 1},    {64, 3, 32, 16, 3, 1, 1},
    {32, 32, 16, 32, 3, 1, 1},    {32, 64, 8, 64, 3, 1, 1},     {8, 128, 14, 128, 3, 1, 1},
    {8, 256, 7, 256, 3, 1, 1},    {32, 32, 16, 64, 3, 2, 1},    {4, 64, 56, 64, 3, 1, 1},
    {4, 128, 56, 128, 3, 1, 128}, {4, 256, 28, 256, 3, 1, 256}, {8, 512, 14, 512, 3, 1, 512},
    {8, 512, 7, 512, 3, 1, 512},  {4, 64, 112, 64, 3, 2, 64},   {4, 128, 56, 128, 3, 2, 128},
    {8, 512, 14, 512, 3, 2, 512}, {4, 128, 28, 128, 5, 1, 128}, {2, 96, 56, 96, 7, 1, 96},
};

}  // namespace convolution
