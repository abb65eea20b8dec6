// SPDX-License-Identifier: Apache-2.0
// Convolutions with one input channel and at most two output channels for each group (depthwise) on GPUs: a thread
// computes a few elements of the result, or one of the gradient of the images. As products they would have one row or
// two, and each image would need a separate call.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/cuda/kernels/plane_index.hpp>

namespace situ::internal::cuda::detail {

[[nodiscard]] inline bool is_depthwise(const program::Convolution& c) {
  return c.in_channels == 1 && c.out_channels <= 2;
}

/// Four adjacent windows.
template <class T, class Index>
struct Depthwise {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: depthwise";
  static constexpr int across = 4;
  static constexpr int taps = 4;
  const T* x;
  const T* weight;
  const T* bias;  // or null
  T* y;
  std::int64_t count;  // images * channels * rows of windows * groups of four in a row
  PlaneIndex<Index> fours;
  Divider<Index> channels;
  Divider<Index> out_channels;  // of a group
  program::Window2dOf<Index> window;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    const auto place = fours(static_cast<Index>(i));
    const Index channel = rest_of(place.plane, channels.quotient(place.plane), channels);
    const T* const image = x + std::int64_t{out_channels.quotient(place.plane)} * window.image();
    const T* const factors = weight + std::int64_t{channel} * window.kernel();
    const Index column = place.column * across;
    const Index top = window.height.first(place.row), left = window.width.first(column);
    const C begin = bias != nullptr ? static_cast<C>(bias[channel]) : C(0);
    C sums[across] = {begin, begin, begin, begin};
    const Index end_row = window.height.end_element(place.row);
    for (Index a = window.height.first_element(place.row); a < end_row; ++a) {
      const T* const line = image + (top + a * window.height.dilation) * window.width.in;
      for (Index first = 0; first < window.width.kernel; first += taps) {
        T loaded[taps][across], factor[taps];
        kernel::unrolled<taps>([&](int b) {
          factor[b] = first + b < window.width.kernel ? factors[a * window.width.kernel + first + b] : T{};
        });
        load_taps(window.width, line, true, left, first, loaded);
        kernel::unrolled<taps>([&](int b) {
          if (first + b >= window.width.kernel) return;
          kernel::unrolled<across>([&](int o) {
            const Index at = left + (first + b) * window.width.dilation + o * window.width.stride;
            if (at >= 0 && at < window.width.in)  // a factor that is not finite must not affect the padding
              sums[o] += static_cast<C>(factor[b]) * static_cast<C>(loaded[b][o]);
          });
        });
      }
    }
    T* const to = y + std::int64_t{place.plane} * window.windows() + (place.row * window.width.out + column);
    kernel::unrolled<across>([&](int o) {
      if (column + o < window.width.out) to[o] = kernel::stored<T>(sums[o]);
    });
  }
};

template <class T, class Index>
struct DepthwiseInputGradient {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: depthwise, gradient of the images";
  const T* g;
  const T* weight;
  T* x;
  std::int64_t count;  // images * groups * elements
  PlaneIndex<Index> elements;
  Divider<Index> groups;
  int out_channels;  // of a group
  WindowFinder<Index> down, across;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    const auto [plane, line, at] = elements(static_cast<Index>(i));
    const Index group = rest_of(plane, groups.quotient(plane), groups);
    const std::int64_t windows = std::int64_t{down.axis.out} * across.axis.out;
    const Index height = down.axis.kernel, width = across.axis.kernel;
    const T* from = g + plane * out_channels * windows;
    const T* factors = weight + std::int64_t{group} * out_channels * height * width;
    C sum(0);
    for (int channel = 0; channel < out_channels; ++channel) {
      for (Index a = 0; a < height; ++a) {
        const Index row = down(line, a);
        for (Index b = 0; b < width && row >= 0; ++b) {
          const Index column = across(at, b);
          if (column < 0) continue;
          sum += static_cast<C>(factors[a * width + b]) * static_cast<C>(from[row * across.axis.out + column]);
        }
      }
      from += windows;
      factors += height * width;
    }
    x[i] = kernel::stored<T>(sum);
  }
};

/// The gradient of four elements in a row of one channel's kernel, summed over all windows of all images: each thread
/// adds a share of the windows, then the block's threads are reduced.
template <class T, class Index>
struct DepthwiseWeightGradient {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: depthwise, gradient of the weight";
  static constexpr int taps = 4;
  using C = compute_t<T>;
  static constexpr int warps = threads / kernel::warp_size;
  struct Sums {
    C of_warp[std::size_t{warps}][std::size_t{taps}];
  };
  const T* g;
  const T* x;
  T* weight;
  Index count;                  // of windows of all images
  PlaneIndex<Index> windows;    // of an image
  Divider<Index> fours;         // of a row of the kernel
  Divider<Index> rows;          // of the kernel
  Divider<Index> out_channels;  // of a group
  Index channels, groups;
  program::Window2dOf<Index> window;

  SITU_DEVICE void operator()() const {
    const auto block = static_cast<Index>(kernel::block());
    const Index row_and_channel = fours.quotient(block), channel = rows.quotient(row_and_channel);
    const Index first = rest_of(block, row_and_channel, fours) * taps;
    const Index a = rest_of(row_and_channel, channel, rows);
    const Index group = out_channels.quotient(channel);
    C sums[taps] = {};
    for (Index i = kernel::thread(); i < count; i += threads) {
      const auto place = windows(i);
      const C gradient = static_cast<C>(
          g[(std::int64_t{place.plane} * channels + channel) * window.windows() + rest_of_image(i, place.plane)]);
      const Index line = window.height.first(place.row) + a * window.height.dilation;
      const Index left = window.width.first(place.column) + first * window.width.dilation;
      const T* const from = x + (std::int64_t{place.plane} * groups + group) * window.image() + line * window.width.in;
      kernel::unrolled<taps>([&](int b) {
        const Index at = left + b * window.width.dilation;
        const bool inside =
            line >= 0 && line < window.height.in && at >= 0 && at < window.width.in && first + b < window.width.kernel;
        if (inside) sums[b] += gradient * static_cast<C>(from[at]);
      });
    }
    auto& all = kernel::block_shared<Sums>();
    const int warp = kernel::thread() / kernel::warp_size, lane = kernel::thread() % kernel::warp_size;
    kernel::unrolled<taps>([&](int b) {
      kernel::halving(kernel::warp_size, [&](int delta) { sums[b] += kernel::shuffle_down(sums[b], delta); });
      if (lane == 0) all.of_warp[warp][b] = sums[b];
    });
    kernel::barrier();
    const Index element = first + kernel::thread();
    if (kernel::thread() >= taps || element >= window.width.kernel) return;
    C sum(0);
    for (int w = 0; w < warps; ++w) sum += all.of_warp[w][kernel::thread()];
    weight[std::int64_t{channel} * window.kernel() + a * window.width.kernel + element] = kernel::stored<T>(sum);
  }

 private:
  [[nodiscard]] SITU_DEVICE Index rest_of_image(Index i, Index image) const { return i - image * window.windows(); }
};

template <class T>
void depthwise(const Backend& backend, const program::Convolution& c, const T* x, const T* weight, const T* bias,
               T* y) {
  const std::int64_t fours = (c.window.width.out - 1) / 4 + 1;
  const std::int64_t count = c.images * c.groups * c.out_channels * c.window.height.out * fours;
  with_index(c.window, count, [&]<class Index>(Index) {
    using Kernel = Depthwise<T, Index>;
    static_assert(Kernel::across == 4);
    launch_all(backend, Kernel{x, weight, bias, y, count, PlaneIndex<Index>(c.window.height.out, fours),
                               Divider<Index>(static_cast<Index>(c.groups * c.out_channels)),
                               Divider<Index>(static_cast<Index>(c.out_channels)),
                               static_cast<program::Window2dOf<Index>>(c.window)});
  });
}

template <class T>
void depthwise_input_gradient(const Backend& backend, const program::Convolution& c, const T* g, const T* weight,
                              T* x) {
  const std::int64_t count = c.images * c.image_in();
  with_index(c.window, count, [&]<class Index>(Index) {
    launch_all(backend, DepthwiseInputGradient<T, Index>{
                            g, weight, x, count, elements_of<Index>(c.window),
                            Divider<Index>(static_cast<Index>(c.groups)), static_cast<int>(c.out_channels),
                            WindowFinder<Index>(c.window.height), WindowFinder<Index>(c.window.width)});
  });
}

template <class T>
void depthwise_weight_gradient(const Backend& backend, const program::Convolution& c, const T* g, const T* x,
                               T* weight) {
  const std::int64_t count = c.images * c.window.windows(), channels = c.groups * c.out_channels;
  const std::int64_t fours = (c.window.width.kernel - 1) / 4 + 1, blocks = channels * c.window.height.kernel * fours;
  with_index(c.window, std::max(count + 256, blocks), [&]<class Index>(Index) {
    using Kernel = DepthwiseWeightGradient<T, Index>;
    static_assert(Kernel::taps == 4 && Kernel::threads == 256);
    const auto by = [](std::int64_t divisor) { return Divider<Index>(static_cast<Index>(divisor)); };
    launch(backend, Grid{blocks, 1},
           Kernel{g, x, weight, static_cast<Index>(count), windows_of<Index>(c.window), by(fours),
                  by(c.window.height.kernel), by(c.out_channels), static_cast<Index>(channels),
                  static_cast<Index>(c.groups), static_cast<program::Window2dOf<Index>>(c.window)});
  });
}

}  // namespace situ::internal::cuda::detail

#endif
