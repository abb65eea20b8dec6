// SPDX-License-Identifier: Apache-2.0
// Pooling of images on GPUs: a thread for each window, and for gradients a thread for each element of the image, which
// reads all windows that contain it. No atomics: the same bits in every run.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#include <concepts>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/narrow.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/plane_index.hpp>

namespace situ::internal::cuda {

namespace detail {

template <class T, class Index>
struct MaxPool {
  static constexpr int threads = 256;
  static constexpr const char* name = "max_pool2d";
  const T* x;
  T* y;
  std::int32_t* positions;  // or null
  std::int64_t count;       // planes * windows
  PlaneIndex<Index> windows;
  program::Window2dOf<Index> window;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t o = kernel::block() * threads + kernel::thread();
    if (o >= count) return;
    const auto place = windows(static_cast<Index>(o));
    const T* const image = x + std::int64_t{place.plane} * window.image();
    const auto largest = program::largest_of_window<C>(window, place.row, place.column,
                                                       [image](Index at) { return static_cast<C>(image[at]); });
    y[o] = kernel::chosen<T>(largest.value);
    if (positions != nullptr) positions[o] = static_cast<std::int32_t>(largest.position);
  }
};

template <class T, class Index, class Sum>
struct AveragePool {
  static constexpr int threads = 256;
  static constexpr const char* name = "avg_pool2d";
  const T* x;
  T* y;
  std::int64_t count;  // planes * windows
  PlaneIndex<Index> windows;
  program::Window2dOf<Index> window;
  bool counts_padding;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t o = kernel::block() * threads + kernel::thread();
    if (o >= count) return;
    const auto [plane, row, column] = windows(static_cast<Index>(o));
    const auto& [down, across] = window;
    const T* const image = x + std::int64_t{plane} * window.image();
    const Index top = down.first(row), end_line = top + down.kernel < down.in ? top + down.kernel : down.in;
    const Index left = across.first(column), end = left + across.kernel < across.in ? left + across.kernel : across.in;
    Sum sum(0);
    for (Index i = top < 0 ? 0 : top; i < end_line; ++i) {
      for (Index j = left < 0 ? 0 : left; j < end; ++j) {
        sum += static_cast<Sum>(static_cast<C>(image[i * across.in + j]));
      }
    }
    const Sum average = sum / static_cast<Sum>(window.extent_of(row, column, counts_padding));
    y[o] = kernel::stored<T>(lane::narrowed<C, T>(average));
  }
};

/// The gradient of a pooling: of the maximum if `is_max`, else of the average. Accumulated in `Sum`.
template <class T, class Index, bool is_max, class Sum>
struct PoolGradient {
  static constexpr int threads = 256;
  static constexpr const char* name = is_max ? "max_pool2d: gradient" : "avg_pool2d: gradient";
  const T* g;
  const std::int32_t* positions;
  T* x;
  std::int64_t count;  // planes * elements
  PlaneIndex<Index> elements;
  WindowFinder<Index> down, across;
  bool counts_padding;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    const auto [plane, line, at] = elements(static_cast<Index>(i));
    const std::int64_t first = std::int64_t{plane} * down.axis.out * across.axis.out;
    const auto position = static_cast<std::int32_t>(line * across.axis.in + at);
    Sum sum(0);
    // From the last element of a window to the first, so that windows come in order, as on the CPU.
    for (Index a = down.axis.kernel; a-- > 0;) {
      const Index row = down(line, a);
      if (row < 0) continue;
      for (Index b = across.axis.kernel; b-- > 0;) {
        const Index column = across(at, b);
        if (column < 0) continue;
        const std::int64_t o = first + (row * across.axis.out + column);
        if constexpr (is_max) {
          if (positions[o] == position) sum += static_cast<Sum>(static_cast<C>(g[o]));
        } else {
          const Index of = down.axis.extent_of(row, counts_padding) * across.axis.extent_of(column, counts_padding);
          sum += static_cast<Sum>(static_cast<C>(g[o])) / static_cast<Sum>(of);
        }
      }
    }
    x[i] = kernel::stored<T>(lane::narrowed<C, T>(sum));
  }
};

/// Calls `f` with a number of the type in which sums over windows are accumulated.
template <class T, class F>
void with_sum(const program::Pooling& p, const F& f) {
  if constexpr (!std::same_as<T, double>) {
    if (!p.sums_many()) return f(compute_t<T>(0));
  }
  f(0.0);
}

template <bool is_max, class T>
void pool_gradient(const Backend& backend, const program::Pooling& p, const T* g, const std::int32_t* positions, T* x) {
  const std::int64_t count = p.planes * p.window.image();
  with_index(p.window, count, [&]<class Index>(Index) {
    with_sum<T>(p, [&]<class Sum>(Sum) {
      launch_all(backend, PoolGradient<T, Index, is_max, Sum>{g, positions, x, count, elements_of<Index>(p.window),
                                                              WindowFinder<Index>(p.window.height),
                                                              WindowFinder<Index>(p.window.width), p.counts_padding});
    });
  });
}

}  // namespace detail

/// The largest element of each window, and where it is; see the CPU's.
template <FloatingElement T>
void max_pool(const Backend& backend, const program::Pooling& p, const T* x, T* y, std::int32_t* positions) {
  const std::int64_t count = p.planes * p.window.windows();
  detail::with_index(p.window, count, [&]<class Index>(Index) {
    detail::launch_all(backend, detail::MaxPool<T, Index>{x, y, positions, count, detail::windows_of<Index>(p.window),
                                                          static_cast<program::Window2dOf<Index>>(p.window)});
  });
}

/// The gradient of `x` from that of y, `g`.
template <FloatingElement T>
void max_pool_gradient(const Backend& backend, const program::Pooling& p, const T* g, const std::int32_t* positions,
                       T* x) {
  detail::pool_gradient<true>(backend, p, g, positions, x);
}

/// The average of each window.
template <FloatingElement T>
void average_pool(const Backend& backend, const program::Pooling& p, const T* x, T* y) {
  const std::int64_t count = p.planes * p.window.windows();
  detail::with_index(p.window, count, [&]<class Index>(Index) {
    detail::with_sum<T>(p, [&]<class Sum>(Sum) {
      detail::launch_all(backend, detail::AveragePool<T, Index, Sum>{x, y, count, detail::windows_of<Index>(p.window),
                                                                     static_cast<program::Window2dOf<Index>>(p.window),
                                                                     p.counts_padding});
    });
  });
}

/// The gradient of `x` from that of y, `g`.
template <FloatingElement T>
void average_pool_gradient(const Backend& backend, const program::Pooling& p, const T* g, T* x) {
  detail::pool_gradient<false, T>(backend, p, g, nullptr, x);
}

}  // namespace situ::internal::cuda

#endif
