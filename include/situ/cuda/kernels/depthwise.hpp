// SPDX-License-Identifier: Apache-2.0
// Convolutions with one input channel and at most two output channels a group (depthwise) on GPUs: a thread computes
// one element of the result, or of the gradient of the images. As products they would have one row or two, and each
// image would be a call of its own.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/cuda/kernels/plane_index.hpp>

namespace situ::internal::cuda::detail {

[[nodiscard]] inline bool is_depthwise(const program::Convolution& c) {
  return c.in_channels == 1 && c.out_channels <= 2;
}

template <class T>
struct Depthwise {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: depthwise";
  const T* x;
  const T* weight;
  const T* bias;  // or null
  T* y;
  std::int64_t count;  // images * channels * windows
  PlaneIndex windows;
  Divider<std::int64_t> channels;
  std::int64_t out_channels;  // of a group
  program::Window2d window;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    std::int64_t plane, row, column;
    windows(i, plane, row, column);
    const std::int64_t channel = plane - channels.quotient(plane) * static_cast<std::int64_t>(channels.divisor);
    const T* const image = x + (out_channels == 1 ? plane : plane / out_channels) * window.image();
    const T* const factors = weight + channel * window.kernel();
    C sum = bias != nullptr ? static_cast<C>(bias[channel]) : C(0);
    const std::int64_t end_line = window.height.end_element(row), end = window.width.end_element(column);
    for (std::int64_t a = window.height.first_element(row); a < end_line; ++a) {
      const std::int64_t line = window.height.first(row) + a * window.height.dilation;
      for (std::int64_t b = window.width.first_element(column); b < end; ++b) {
        const std::int64_t at = window.width.first(column) + b * window.width.dilation;
        sum += static_cast<C>(factors[a * window.width.kernel + b]) *
               static_cast<C>(image[line * window.width.in + at]);
      }
    }
    y[i] = static_cast<T>(sum);
  }
};

template <class T>
struct DepthwiseInputGradient {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: depthwise, gradient of the images";
  const T* g;
  const T* weight;
  T* x;
  std::int64_t count;  // images * groups * elements
  PlaneIndex elements;
  Divider<std::int64_t> groups;
  std::int64_t out_channels;  // of a group
  program::Window2d window;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    std::int64_t plane, line, at;
    elements(i, plane, line, at);
    const std::int64_t group = plane - groups.quotient(plane) * static_cast<std::int64_t>(groups.divisor);
    const T* from = g + plane * out_channels * window.windows();
    const T* factors = weight + group * out_channels * window.kernel();
    C sum(0);
    for (std::int64_t channel = 0; channel < out_channels; ++channel) {
      for (std::int64_t a = 0; a < window.height.kernel; ++a) {
        const std::int64_t row = window.height.window_of(line, a);
        for (std::int64_t b = 0; b < window.width.kernel && row >= 0; ++b) {
          const std::int64_t column = window.width.window_of(at, b);
          if (column < 0) continue;
          sum += static_cast<C>(factors[a * window.width.kernel + b]) *
                 static_cast<C>(from[row * window.width.out + column]);
        }
      }
      from += window.windows();
      factors += window.kernel();
    }
    x[i] = static_cast<T>(sum);
  }
};

template <class T>
void depthwise(const Backend& backend, const program::Convolution& c, const T* x, const T* weight, const T* bias,
               T* y) {
  launch_all(backend, Depthwise<T>{x, weight, bias, y, c.images * c.image_out(),
                                   PlaneIndex(c.window.height.out, c.window.width.out),
                                   Divider<std::int64_t>(c.groups * c.out_channels), c.out_channels, c.window});
}

template <class T>
void depthwise_input_gradient(const Backend& backend, const program::Convolution& c, const T* g, const T* weight,
                              T* x) {
  launch_all(backend, DepthwiseInputGradient<T>{g, weight, x, c.images * c.image_in(),
                                                PlaneIndex(c.window.height.in, c.window.width.in),
                                                Divider<std::int64_t>(c.groups), c.out_channels, c.window});
}

}  // namespace situ::internal::cuda::detail

#endif
