// SPDX-License-Identifier: Apache-2.0
// Poolings of images on host devices: a thread has some planes (one channel of one image).
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/window.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::cpu {

namespace detail {

/// `f(plane)` for all planes, on all threads.
template <class F>
void for_each_plane(const program::Pooling& p, const F& f) {
  const std::int64_t work = std::max<std::int64_t>(1, p.window.windows() * p.window.kernel());
  parallel_for(
      0, p.planes, (std::int64_t{1} << 14) / work,
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t plane = from; plane < to; ++plane) f(plane);
      },
      1);
}

/// `f(o, divisor, first, end, first column, end column)` for every window of a plane: the part of the image that it
/// reads.
template <class F>
void for_each_window(const program::Pooling& p, const F& f) {
  const program::WindowAxis& down = p.window.height;
  const program::WindowAxis& across = p.window.width;
  std::int64_t o = 0;
  for (std::int64_t row = 0; row < down.out; ++row) {
    const std::int64_t line = std::max<std::int64_t>(0, down.first(row));
    const std::int64_t end_line = std::min(down.in, down.first(row) + down.kernel);
    for (std::int64_t column = 0; column < across.out; ++column, ++o) {
      f(o, p.divisor(row, column), line, end_line, std::max<std::int64_t>(0, across.first(column)),
        std::min(across.in, across.first(column) + across.kernel));
    }
  }
}

}  // namespace detail

/// The largest element of each window, and unless `positions` is null where in its image it is: the first of equal
/// ones; -1 and minus infinity for a window that reads nothing. NaN counts as the largest.
template <FloatingElement T>
void max_pool(Backend, const program::Pooling& p, const T* x, T* y, std::int32_t* positions) {
  detail::for_each_plane(p, [&](std::int64_t plane) {
    const T* const image = x + plane * p.window.image();
    std::int64_t o = plane * p.window.windows();
    for (std::int64_t row = 0; row < p.window.height.out; ++row) {
      for (std::int64_t column = 0; column < p.window.width.out; ++column, ++o) {
        const auto largest = program::largest_of_window<compute_t<T>>(
            p.window, row, column, [image](std::int64_t at) { return static_cast<compute_t<T>>(image[at]); });
        y[o] = static_cast<T>(largest.value);
        if (positions != nullptr) positions[o] = static_cast<std::int32_t>(largest.position);
      }
    }
  });
}

/// The gradient of `x` from that of y, `g`: each goes where the largest element was.
template <class T>
  requires OneOf<T, float, double>
void max_pool_gradient(Backend, const program::Pooling& p, const T* g, const std::int32_t* positions, T* x) {
  detail::for_each_plane(p, [&](std::int64_t plane) {
    T* const image = x + plane * p.window.image();
    std::fill_n(image, p.window.image(), T(0));
    for (std::int64_t o = plane * p.window.windows(); o < (plane + 1) * p.window.windows(); ++o) {
      if (positions[o] >= 0) image[positions[o]] += g[o];
    }
  });
}

/// The average of each window.
template <FloatingElement T>
void average_pool(Backend, const program::Pooling& p, const T* x, T* y) {
  using C = compute_t<T>;
  detail::for_each_plane(p, [&](std::int64_t plane) {
    const T* const image = x + plane * p.window.image();
    T* const to = y + plane * p.window.windows();
    detail::for_each_window(p, [&](std::int64_t o, std::int64_t divisor, std::int64_t line, std::int64_t end_line,
                                   std::int64_t column, std::int64_t end_column) {
      C sum(0);
      for (std::int64_t i = line; i < end_line; ++i) {
        for (std::int64_t j = column; j < end_column; ++j) sum += static_cast<C>(image[i * p.window.width.in + j]);
      }
      to[o] = static_cast<T>(sum / static_cast<C>(divisor));
    });
  });
}

/// The gradient of `x` from that of y, `g`.
template <class T>
  requires OneOf<T, float, double>
void average_pool_gradient(Backend, const program::Pooling& p, const T* g, T* x) {
  detail::for_each_plane(p, [&](std::int64_t plane) {
    T* const image = x + plane * p.window.image();
    std::fill_n(image, p.window.image(), T(0));
    const T* const from = g + plane * p.window.windows();
    detail::for_each_window(p, [&](std::int64_t o, std::int64_t divisor, std::int64_t line, std::int64_t end_line,
                                   std::int64_t column, std::int64_t end_column) {
      const T share = from[o] / static_cast<T>(divisor);
      for (std::int64_t i = line; i < end_line; ++i) {
        for (std::int64_t j = column; j < end_column; ++j) image[i * p.window.width.in + j] += share;
      }
    });
  });
}

}  // namespace situ::internal::cpu
