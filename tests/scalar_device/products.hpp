// SPDX-License-Identifier: Apache-2.0
// The kernels of the reference device that multiply matrices, move windows over images, and finish rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/plan/window.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/softmax.hpp>

#include "elementwise.hpp"

namespace scalar_device {

template <situ::NumberElement T>
void matrix_product(Backend, const program::MatrixProduct& x) {
  T* c = static_cast<T*>(x.c);
  for_each_position(x.batch, [&](const Strides& index) {
    const T* const a = static_cast<const T*>(x.a) + offset(x.a_batch, index);
    const T* const b = static_cast<const T*>(x.b) + offset(x.b_batch, index);
    for (std::int64_t i = 0; i < x.m; ++i) {
      for (std::int64_t j = 0; j < x.n; ++j) {
        using Total = total_t<compute_t<T>>;
        Total total{};
        for (std::int64_t k = 0; k < x.k; ++k) {
          total += static_cast<Total>(static_cast<compute_t<T>>(a[i * x.a_row + k * x.a_column])) *
                   static_cast<Total>(static_cast<compute_t<T>>(b[k * x.b_row + j * x.b_column]));
        }
        *c++ = reduction::rounded<T>(total);
      }
    }
  });
}

/// Calls `f(x, weight, y, channel)` for every product of a convolution: the numbers of the elements that it multiplies and adds.
template <class F>
void for_each_product(const program::Convolution& c, F f) {
  const program::WindowAxis& down = c.window.height;
  const program::WindowAxis& across = c.window.width;
  for_each_position(
      Shape{c.images, c.groups, c.out_channels, down.out, across.out, c.in_channels, down.kernel, across.kernel},
      [&](const Strides& i) {
        const std::int64_t row = down.first(i[3]) + i[6] * down.dilation;
        const std::int64_t column = across.first(i[4]) + i[7] * across.dilation;
        if (row < 0 || row >= down.in || column < 0 || column >= across.in) return;
        const std::int64_t to = i[1] * c.out_channels + i[2];
        f(i[0] * c.image_in() + (i[1] * c.in_channels + i[5]) * c.window.image() + row * across.in + column,
          (to * c.in_channels + i[5]) * c.window.kernel() + i[6] * across.kernel + i[7],
          i[0] * c.image_out() + to * c.window.windows() + i[3] * across.out + i[4]);
      });
}

/// The sums of a convolution, which go to `count` elements of `out`.
template <class T, class F>
void convolved(const program::Convolution& c, std::int64_t count, T* out, F f) {
  std::vector<double> sums(static_cast<std::size_t>(count));
  for_each_product(c, [&](std::int64_t x, std::int64_t weight, std::int64_t y) { f(sums, x, weight, y); });
  std::transform(sums.begin(), sums.end(), out, [](double sum) { return static_cast<T>(sum); });
}

template <class T>
void convolve(Backend, const program::Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  convolved(c, c.images * c.image_out(), y, [=](auto& sums, auto from, auto by, auto to) {
    sums[static_cast<std::size_t>(to)] += static_cast<double>(x[from]) * static_cast<double>(weight[by]);
  });
  const std::int64_t channels = c.groups * c.out_channels;
  if (bias == nullptr) return;
  for (std::int64_t i = 0; i < c.images * c.image_out(); ++i) y[i] += bias[i / c.window.windows() % channels];
}

template <class T>
void convolve_input_gradient(Backend, const program::Convolution& c, const T* g, const T* weight, T* x) {
  convolved(c, c.images * c.image_in(), x, [=](auto& sums, auto from, auto by, auto to) {
    sums[static_cast<std::size_t>(from)] += static_cast<double>(g[to]) * static_cast<double>(weight[by]);
  });
}

template <class T>
void convolve_weight_gradient(Backend, const program::Convolution& c, const T* g, const T* x, T* weight) {
  convolved(c, c.weights(), weight, [=](auto& sums, auto from, auto by, auto to) {
    sums[static_cast<std::size_t>(by)] += static_cast<double>(g[to]) * static_cast<double>(x[from]);
  });
}

/// Calls `f(window, position)` for every element that a window of a pooling reads: their numbers among all windows and all
/// elements of the images.
template <class F>
void for_each_read(const program::Pooling& p, F f) {
  const program::WindowAxis& down = p.window.height;
  const program::WindowAxis& across = p.window.width;
  for_each_position(Shape{p.planes, down.out, across.out, down.kernel, across.kernel}, [&](const Strides& i) {
    const std::int64_t row = down.first(i[1]) + i[3] * down.dilation;
    const std::int64_t column = across.first(i[2]) + i[4] * across.dilation;
    if (row < 0 || row >= down.in || column < 0 || column >= across.in) return;
    f((i[0] * down.out + i[1]) * across.out + i[2], row * across.in + column, i);
  });
}

template <class T>
void max_pool(Backend, const program::Pooling& p, const T* x, T* y, std::int32_t* positions) {
  for_each_position(Shape{p.planes, p.window.height.out, p.window.width.out}, [&](const Strides& i) {
    using C = compute_t<T>;
    const T* const image = x + i[0] * p.window.image();
    const auto largest = program::largest_of_window<C>(
        p.window, i[1], i[2], [image](std::int64_t at) { return static_cast<C>(image[at]); });
    *y++ = static_cast<T>(largest.value);
    if (positions != nullptr) *positions++ = static_cast<std::int32_t>(largest.position);
  });
}

template <class T>
void max_pool_gradient(Backend, const program::Pooling& p, const T* g, const std::int32_t* positions, T* x) {
  std::fill_n(x, p.planes * p.window.image(), T(0));
  for (std::int64_t i = 0; i < p.planes * p.window.windows(); ++i) {
    if (positions[i] >= 0) x[i / p.window.windows() * p.window.image() + positions[i]] += g[i];
  }
}

template <class T>
void average_pool(Backend, const program::Pooling& p, const T* x, T* y) {
  std::vector<double> sums(static_cast<std::size_t>(p.planes * p.window.windows()));
  for_each_read(p, [&](std::int64_t window, std::int64_t position, const Strides& i) {
    const auto value = static_cast<compute_t<T>>(x[i[0] * p.window.image() + position]);
    sums[static_cast<std::size_t>(window)] += static_cast<double>(value);
  });
  const Shape windows{p.planes, p.window.height.out, p.window.width.out};
  for_each_position(windows, [&, sum = sums.begin()](const Strides& i) mutable {
    *y++ = reduction::rounded<T>(*sum++ / static_cast<double>(p.divisor(i[1], i[2])));
  });
}

template <class T>
void average_pool_gradient(Backend, const program::Pooling& p, const T* g, T* x) {
  std::fill_n(x, p.planes * p.window.image(), T(0));
  for_each_read(p, [&](std::int64_t window, std::int64_t position, const Strides& i) {
    x[i[0] * p.window.image() + position] += g[window] / static_cast<T>(p.divisor(i[1], i[2]));
  });
}

}  // namespace scalar_device
