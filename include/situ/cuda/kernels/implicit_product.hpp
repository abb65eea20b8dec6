// SPDX-License-Identifier: Apache-2.0
// Convolutions of `float` on GPUs as one product whose columns are never stored (implicit GEMM): a block reads the
// window elements for its tile directly into shared memory, and adds the bias when it stores.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#include <cstdint>

#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/plane_index.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/stream.hpp>

namespace situ::internal::cuda::detail {

/// A block computes 64 channels of 128 windows, a thread 8 of each. It proceeds along the depth (channel, row and
/// column of the kernel) in steps of 8: while it multiplies one half of its shared memory, the next elements are loaded
/// into registers, and then stored to the other half. So there is one barrier for each step. The offsets of a step's
/// elements from the beginning of a window are the same for all windows: a few threads compute them for the others, one
/// step ahead.
template <class T>
struct ImplicitProduct {
  static constexpr int threads = 128;
  static constexpr const char* name = "conv2d: implicit product";
  static constexpr int rows = 64;      // channels of a tile
  static constexpr int columns = 128;  // windows of a tile; each thread loads the elements of one window
  static constexpr int step = 8;
  using Four = kernel::Vector<T, 4>;
  /// An element of the depth, relative to the first of a window. Unsigned, so that one comparison checks both ends of
  /// an image.
  struct alignas(16) Tap {
    std::uint32_t down, across;
    std::int32_t offset;
  };
  static constexpr std::uint32_t outside = std::uint32_t{1} << 31;  // of every image, for any window
  struct alignas(16) Half {
    T weight[step][rows + 4];  // padded by four, so that a column is spread over the banks
    T window[step][columns];
    Tap next[step];
  };
  struct Halves {
    Half half[2];
  };

  const T* x;
  const T* weight;
  const T* bias;  // or null
  T* y;
  std::int32_t in_channels, out_channels;  // of a group
  std::int32_t depth;
  std::int32_t count;  // of windows in all images
  Divider<std::int32_t> row_tiles, groups;
  Divider<std::int32_t> windows;  // of an image
  Divider<std::int32_t> width;    // windows of a row
  Divider<std::int32_t> kernel_elements, kernel_width;
  program::Window2dOf<std::int32_t> window;
  std::int64_t image_in, image_out;
  bool aligned;  // every group of four windows in y

  SITU_DEVICE void operator()() const {
    auto& halves = kernel::block_shared<Halves>();
    const int thread = kernel::thread();
    const auto block = static_cast<std::int32_t>(kernel::block());
    const std::int32_t column_tile_and_group = row_tiles.quotient(block);
    const std::int32_t first_row = rest_of(block, column_tile_and_group, row_tiles) * rows;
    const std::int32_t column_tile = groups.quotient(column_tile_and_group);
    const std::int32_t group = rest_of(column_tile_and_group, column_tile, groups);
    const std::int32_t first_column = column_tile * columns;

    const Origin origin(*this, first_column + thread, group);
    const std::int32_t weight_row = first_row + thread / 2;
    const int weight_step = thread % 2 * 4;
    const T* const weights = weight + (std::int64_t{group} * out_channels + weight_row) * depth + weight_step;
    const std::int32_t weight_end = weight_row < out_channels ? depth - weight_step : 0;

    T brought[step], weighted[4];
    const auto bring = [&](std::int32_t from, const Tap* taps) {
      kernel::unrolled<4>([&](int i) { weighted[i] = from + i < weight_end ? weights[from + i] : T(0); });
      kernel::unrolled<step>([&](int i) { brought[i] = origin.element(*this, taps[i]); });
    };
    const auto keep = [&](Half& half) {
      kernel::unrolled<4>([&](int i) { half.weight[weight_step + i][thread / 2] = weighted[i]; });
      kernel::unrolled<step>([&](int i) { half.window[i][thread] = brought[i]; });
    };

    if (thread < 2 * step) halves.half[1 - thread / step].next[thread % step] = tap(thread);
    kernel::barrier();
    const int row = thread / 16 * 8, column = thread % 16 * 4;  // the thread's in the tile; and columns 64 further on
    T sums[8][8] = {};
    bring(0, halves.half[1].next);
    keep(halves.half[0]);
    kernel::barrier();
    int now = 0;
    for (std::int32_t from = 0; from < depth; from += step) {
      const Half& half = halves.half[now];
      bring(from + step, half.next);  // beyond the depth all is outside: zeros that are never used
      kernel::unrolled<step>([&](int k) {
        Four a[2], b[2];
        kernel::unrolled<2>([&](int i) {
          a[i] = *reinterpret_cast<const Four*>(&half.weight[k][row + 4 * i]);
          b[i] = *reinterpret_cast<const Four*>(&half.window[k][column + 64 * i]);
        });
        kernel::unrolled<8>([&](int i) {
          kernel::unrolled<8>([&](int j) { sums[i][j] += a[i / 4].element[i % 4] * b[j / 4].element[j % 4]; });
        });
      });
      now ^= 1;
      keep(halves.half[now]);
      if (thread < step) halves.half[now].next[thread] = tap(from + 2 * step + thread);
      kernel::barrier();
    }

    kernel::unrolled<2>([&](int part) {
      const std::int32_t first = first_column + column + 64 * part;
      kernel::unrolled<8>([&](int i) {
        const std::int32_t channel = first_row + row + i;
        if (channel >= out_channels) return;
        const std::int64_t plane = std::int64_t{group} * out_channels + channel;
        const T added = bias != nullptr ? bias[plane] : T(0);
        Four result;
        kernel::unrolled<4>([&](int j) { result.element[j] = kernel::stored<T>(sums[i][4 * part + j] + added); });
        store(result, first, y + plane * windows.divisor);
      });
    });
  }

 private:
  [[nodiscard]] SITU_DEVICE Tap tap(std::int32_t k) const {
    if (k >= depth) return {outside, 0, 0};
    const std::int32_t channel = kernel_elements.quotient(k), element = rest_of(k, channel, kernel_elements);
    const std::int32_t i = kernel_width.quotient(element), j = rest_of(element, i, kernel_width);
    const std::int32_t down = i * window.height.dilation, across = j * window.width.dilation;
    return {static_cast<std::uint32_t>(down), static_cast<std::uint32_t>(across),
            (channel * window.height.in + down) * window.width.in + across};
  }

  /// Where a window begins.
  struct Origin {
    const T* first;  // of the group's images; nothing before it is read
    std::uint32_t top, left;
    std::int32_t offset;

    SITU_DEVICE Origin(const ImplicitProduct& of, std::int32_t number, std::int32_t group) {
      const bool exists = number < of.count;
      if (!exists) number = 0;
      const std::int32_t image = of.windows.quotient(number), place = rest_of(number, image, of.windows);
      const std::int32_t row = of.width.quotient(place);
      const std::int32_t down = of.window.height.first(row);
      const std::int32_t across = of.window.width.first(rest_of(place, row, of.width));
      first = of.x + image * of.image_in + std::int64_t{group} * of.in_channels * of.window.image();
      offset = down * of.window.width.in + across;
      top = exists ? static_cast<std::uint32_t>(down) : outside;
      left = exists ? static_cast<std::uint32_t>(across) : outside;
    }
    [[nodiscard]] SITU_DEVICE T element(const ImplicitProduct& of, const Tap& tap) const {
      const bool in_height = top + tap.down < static_cast<std::uint32_t>(of.window.height.in);
      const bool in_width = left + tap.across < static_cast<std::uint32_t>(of.window.width.in);
      const bool inside = (in_height & in_width) != 0;  // not &&, which would branch around the load
      return inside ? first[offset + tap.offset] : T(0);
    }
  };

  /// Stores four windows of one channel, from number `first` on.
  SITU_DEVICE void store(const Four& values, std::int32_t first, T* channel) const {
    if (aligned) {
      if (first >= count) return;
      const std::int32_t image = windows.quotient(first);
      *reinterpret_cast<Four*>(channel + image * image_out + rest_of(first, image, windows)) = values;
      return;
    }
    kernel::unrolled<4>([&](int j) {
      const std::int32_t number = first + j;
      if (number >= count) return;
      const std::int32_t image = windows.quotient(number);
      channel[image * image_out + rest_of(number, image, windows)] = values.element[j];
    });
  }
};

/// The tiles of the product.
[[nodiscard]] inline std::int64_t implicit_tiles(const program::Convolution& c) {
  const std::int64_t row_tiles = (c.out_channels - 1) / ImplicitProduct<float>::rows + 1;
  const std::int64_t column_tiles = (c.images * c.window.windows() - 1) / ImplicitProduct<float>::columns + 1;
  return row_tiles * column_tiles * c.groups;
}

/// Whether the implicit product can compute it: all its counts are below 2^31.
[[nodiscard]] inline bool has_implicit_product(const program::Convolution& c) {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  return c.window.fits_32_bits() && c.depth() + 3 * ImplicitProduct<float>::step < limit &&
         (c.in_channels + 1) * c.window.image() < limit &&
         c.images * c.window.windows() + ImplicitProduct<float>::columns < limit &&
         c.out_channels + ImplicitProduct<float>::rows < limit && implicit_tiles(c) < limit;
}

template <class T>
void implicit_product(const Backend& backend, const program::Convolution& c, const T* x, const T* weight, const T* bias,
                      T* y) {
  using Divider32 = Divider<std::int32_t>;
  const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  const std::int64_t row_tiles = (c.out_channels - 1) / ImplicitProduct<T>::rows + 1;
  const ImplicitProduct<T> kernel{x,
                                  weight,
                                  bias,
                                  y,
                                  narrow(c.in_channels),
                                  narrow(c.out_channels),
                                  narrow(c.depth()),
                                  narrow(c.images * c.window.windows()),
                                  Divider32(narrow(row_tiles)),
                                  Divider32(narrow(c.groups)),
                                  Divider32(narrow(c.window.windows())),
                                  Divider32(narrow(c.window.width.out)),
                                  Divider32(narrow(c.window.kernel())),
                                  Divider32(narrow(c.window.width.kernel)),
                                  static_cast<program::Window2dOf<std::int32_t>>(c.window),
                                  c.image_in(),
                                  c.image_out(),
                                  c.window.windows() % 4 == 0 && is_aligned_to(y, 16)};
  launch(backend, Grid{implicit_tiles(c), 1}, kernel);
}

}  // namespace situ::internal::cuda::detail

#endif
