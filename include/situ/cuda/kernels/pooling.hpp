// SPDX-License-Identifier: Apache-2.0
// Poolings of images on GPUs: a thread for each window, and for a gradient one for each element of the image, which
// reads all windows that have it. No atomics: the same bits in every run.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/plane_index.hpp>

namespace situ::internal::cuda {

namespace detail {

template <class T>
struct MaxPool {
  static constexpr int threads = 256;
  static constexpr const char* name = "max_pool2d";
  const T* x;
  T* y;
  std::int32_t* positions;  // or null
  std::int64_t count;       // planes * windows
  PlaneIndex windows;
  program::Window2d window;

  SITU_DEVICE void operator()() const {
    const std::int64_t o = kernel::block() * threads + kernel::thread();
    if (o >= count) return;
    std::int64_t plane, row, column;
    windows(o, plane, row, column);
    const T* const image = x + plane * window.image();
    std::int64_t position;
    y[o] = static_cast<T>(program::largest_of_window<compute_t<T>>(window, image, row, column, position));
    if (positions != nullptr) positions[o] = static_cast<std::int32_t>(position);
  }
};

template <class T>
struct AveragePool {
  static constexpr int threads = 256;
  static constexpr const char* name = "avg_pool2d";
  const T* x;
  T* y;
  std::int64_t count;  // planes * windows
  PlaneIndex windows;
  program::Pooling pooling;

  SITU_DEVICE void operator()() const {
    const std::int64_t o = kernel::block() * threads + kernel::thread();
    if (o >= count) return;
    std::int64_t plane, row, column;
    windows(o, plane, row, column);
    const program::WindowAxis& down = pooling.window.height;
    const program::WindowAxis& across = pooling.window.width;
    const T* const image = x + plane * pooling.window.image();
    compute_t<T> sum(0);
    for (std::int64_t i = down.first_element(row); i < down.end_element(row); ++i) {
      const T* const line = image + (down.first(row) + i) * across.in + across.first(column);
      for (std::int64_t j = across.first_element(column); j < across.end_element(column); ++j)
        sum += static_cast<compute_t<T>>(line[j]);
    }
    y[o] = static_cast<T>(sum / static_cast<compute_t<T>>(pooling.divisor(row, column)));
  }
};

/// The gradient of a pooling: of the maximum if `is_max`, else of the average.
template <class T, bool is_max>
struct PoolGradient {
  static constexpr int threads = 256;
  static constexpr const char* name = is_max ? "max_pool2d: gradient" : "avg_pool2d: gradient";
  const T* g;
  const std::int32_t* positions;
  T* x;
  std::int64_t count;  // planes * elements
  PlaneIndex elements;
  program::Pooling pooling;

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    std::int64_t plane, line, at;
    elements(i, plane, line, at);
    const program::Window2d& window = pooling.window;
    const std::int64_t position = line * window.width.in + at;
    compute_t<T> sum(0);
    // From the last element of a window to the first: the windows in their order, as on the CPU.
    for (std::int64_t a = window.height.kernel; a-- > 0;) {
      const std::int64_t row = window.height.window_of(line, a);
      if (row < 0) continue;
      for (std::int64_t b = window.width.kernel; b-- > 0;) {
        const std::int64_t column = window.width.window_of(at, b);
        if (column < 0) continue;
        const std::int64_t o = plane * window.windows() + row * window.width.out + column;
        if constexpr (is_max) {
          if (positions[o] == position) sum += static_cast<compute_t<T>>(g[o]);
        } else {
          sum += static_cast<compute_t<T>>(g[o]) / static_cast<compute_t<T>>(pooling.divisor(row, column));
        }
      }
    }
    x[i] = static_cast<T>(sum);
  }
};

[[nodiscard]] inline PlaneIndex windows_of(const program::Pooling& p) {
  return PlaneIndex(p.window.height.out, p.window.width.out);
}
[[nodiscard]] inline PlaneIndex elements_of(const program::Pooling& p) {
  return PlaneIndex(p.window.height.in, p.window.width.in);
}

}  // namespace detail

/// The largest element of each window, and where it is; see the CPU's.
template <FloatingElement T>
void max_pool(const Backend& backend, const program::Pooling& p, const T* x, T* y, std::int32_t* positions) {
  detail::launch_all(backend, detail::MaxPool<T>{x, y, positions, p.planes * p.window.windows(), detail::windows_of(p),
                                                 p.window});
}

/// The gradient of `x` from that of y, `g`.
template <FloatingElement T>
void max_pool_gradient(const Backend& backend, const program::Pooling& p, const T* g, const std::int32_t* positions,
                       T* x) {
  detail::launch_all(backend, detail::PoolGradient<T, true>{g, positions, x, p.planes * p.window.image(),
                                                            detail::elements_of(p), p});
}

/// The average of each window.
template <FloatingElement T>
void average_pool(const Backend& backend, const program::Pooling& p, const T* x, T* y) {
  detail::launch_all(backend, detail::AveragePool<T>{x, y, p.planes * p.window.windows(), detail::windows_of(p), p});
}

/// The gradient of `x` from that of y, `g`.
template <FloatingElement T>
void average_pool_gradient(const Backend& backend, const program::Pooling& p, const T* g, T* x) {
  detail::launch_all(backend, detail::PoolGradient<T, false>{g, nullptr, x, p.planes * p.window.image(),
                                                             detail::elements_of(p), p});
}

}  // namespace situ::internal::cuda

#endif
