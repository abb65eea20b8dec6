// SPDX-License-Identifier: Apache-2.0
// The kernels around the matrix products of convolutions on GPUs: im2col, a column for each window with the elements
// that it reads; col2im, the reverse; and the bias.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#include <cstdint>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/plane_index.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::cuda::detail {

/// Writes the columns of images: a thread handles four adjacent windows of one channel, and writes an element of each
/// of their rows. All loads for a row of the kernel are issued before the first store.
template <class T, class Index>
struct ImageToColumns {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: columns";
  static constexpr int across = 4;
  static constexpr int taps = 4;
  using Vector = kernel::Vector<T, across>;

  const T* x;
  T* columns;
  std::int64_t count;  // images * channels * rows of windows * groups of four in a row
  Divider<Index> channels;
  PlaneIndex<Index> fours;
  program::Window2dOf<Index> window;
  std::int64_t image_step;  // between images in the columns
  std::int64_t row_step;    // between rows of the columns
  bool aligned;             // every group of four windows, in every row

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    const auto place = fours(static_cast<Index>(i));
    const Index column = place.column * across;
    const Index image = channels.quotient(place.plane);
    const std::int64_t channel = rest_of(place.plane, image, channels);
    const T* const from = x + std::int64_t{place.plane} * window.image();
    T* const to =
        columns + image * image_step + channel * window.kernel() * row_step + (place.row * window.width.out + column);
    const Index top = window.height.first(place.row), left = window.width.first(column);
    for (Index a = 0; a < window.height.kernel; ++a) {
      const Index line = top + a * window.height.dilation;
      const bool inside = line >= 0 && line < window.height.in;
      for (Index first = 0; first < window.width.kernel; first += taps) {
        T loaded[taps][across];
        load_taps(window.width, from + line * window.width.in, inside, left, first, loaded);
        T* const rows = to + (a * window.width.kernel + first) * row_step;
        kernel::unrolled<taps>([&](int b) {
          if (first + b < window.width.kernel) store(loaded[b], rows + b * row_step, column);
        });
      }
    }
  }

 private:
  SITU_DEVICE void store(const T (&loaded)[across], T* row, Index column) const {
    if (aligned) {
      Vector vector;
      kernel::unrolled<across>([&](int o) { vector.element[o] = loaded[o]; });
      *reinterpret_cast<Vector*>(row) = vector;
    } else {
      kernel::unrolled<across>([&](int o) {
        if (column + o < window.width.out) row[o] = loaded[o];
      });
    }
  }
};

/// Sums columns (col2im): a thread computes one element of one channel from all windows that contain it, in the order
/// of the kernel's elements.
template <class T, class Index>
struct ColumnsToImage {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: gradient of the images";
  static constexpr int taps = 4;
  const T* columns;
  T* x;
  std::int64_t count;  // images * channels * elements
  PlaneIndex<Index> elements;
  WindowFinder<Index> down, across;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    const auto place = elements(static_cast<Index>(i));
    const Index width = across.axis.kernel;
    const std::int64_t windows = std::int64_t{down.axis.out} * across.axis.out;
    const T* const from = columns + std::int64_t{place.plane} * down.axis.kernel * width * windows;
    C sum(0);
    for (Index a = 0; a < down.axis.kernel; ++a) {
      const Index row = down(place.row, a);
      if (row < 0) continue;
      const T* const rows = from + std::int64_t{a} * width * windows + row * across.axis.out;
      for (Index first = 0; first < width; first += taps) {
        T loaded[taps];
        kernel::unrolled<taps>([&](int b) {
          const Index column = across(place.column, first + b);
          loaded[b] = first + b < width && column >= 0 ? rows[(first + b) * windows + column] : T{};
        });
        kernel::unrolled<taps>([&](int b) { sum += static_cast<C>(loaded[b]); });
      }
    }
    x[i] = kernel::stored<T>(sum);
  }
};

/// `y = bias[channel]`, to which a product is added later: `V` elements a thread, all of one channel.
template <class T, class Index, int V>
struct ChannelBias {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: bias";
  using Vector = kernel::Vector<T, V>;
  T* y;
  const T* bias;
  std::int64_t count;      // of vectors
  Divider<Index> windows;  // in vectors
  Divider<Index> channels;

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    const Index plane = windows.quotient(static_cast<Index>(i));
    const T value = bias[rest_of(plane, channels.quotient(plane), channels)];
    Vector values;
    kernel::unrolled<V>([&](int e) { values.element[e] = value; });
    reinterpret_cast<Vector*>(y)[i] = values;
  }
};

/// `out[i]` = the sum of `parts[k * count + i]`, in the order of k.
template <class T>
struct SumOfParts {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: gradient of the weight";
  const T* parts;
  T* out;
  std::int64_t count;
  std::int64_t number;

  SITU_DEVICE void operator()() const {
    using C = compute_t<T>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    C sum(0);
    for (std::int64_t k = 0; k < number; ++k) sum += static_cast<C>(parts[k * count + i]);
    out[i] = kernel::stored<T>(sum);
  }
};

/// Writes the columns of `images` images of x; in memory they are ordered by (image, row, window), or (row, image,
/// window).
template <class T>
void write_columns(const Backend& backend, const program::Convolution& c, const T* x, std::int64_t images,
                   bool image_first, T* columns) {
  const std::int64_t channels = c.groups * c.in_channels, windows = c.window.windows();
  if (c.window.pointwise()) {  // the columns are x itself, in another order
    constexpr int size = static_cast<int>(sizeof(T));
    const Shape order{channels, images, windows};
    const program::Operand from{x, size, {windows, c.image_in(), 1}};
    copy_elements(backend, from, program::Destination{columns, size, order, row_major_strides(order)});
    return;
  }
  const std::int64_t fours = (c.window.width.out - 1) / 4 + 1;
  const std::int64_t count = images * channels * c.window.height.out * fours;
  const std::int64_t row_step = image_first ? windows : images * windows;
  with_index(c.window, count, [&]<class Index>(Index) {
    using Kernel = ImageToColumns<T, Index>;
    static_assert(Kernel::across == 4);
    const bool aligned =
        c.window.width.out % 4 == 0 && is_aligned_to(columns, static_cast<int>(sizeof(typename Kernel::Vector)));
    launch_all(backend,
               Kernel{x, columns, count, Divider<Index>(static_cast<Index>(channels)),
                      PlaneIndex<Index>(c.window.height.out, fours), static_cast<program::Window2dOf<Index>>(c.window),
                      image_first ? c.groups * c.depth() * windows : windows, row_step, aligned});
  });
}

/// The gradient of `images` images from that of their columns, one image after another.
template <class T>
void add_columns(const Backend& backend, const program::Convolution& c, const T* columns, std::int64_t images, T* x) {
  const std::int64_t count = images * c.image_in();
  with_index(c.window, count, [&]<class Index>(Index) {
    launch_all(backend,
               ColumnsToImage<T, Index>{columns, x, count, elements_of<Index>(c.window),
                                        WindowFinder<Index>(c.window.height), WindowFinder<Index>(c.window.width)});
  });
}

/// Writes the bias into all of y. (cuBLASLt's epilogues add a bias for each column; ours is one for each row.)
template <class T>
void write_bias(const Backend& backend, const program::Convolution& c, const T* bias, T* y) {
  constexpr int width = 16 / static_cast<int>(sizeof(T));
  const std::int64_t windows = c.window.windows(), channels = c.groups * c.out_channels;
  const auto write = [&]<int V>(std::integral_constant<int, V>) {
    const std::int64_t count = c.images * c.image_out() / V;
    with_index(c.window, count, [&]<class Index>(Index) {
      launch_all(backend, ChannelBias<T, Index, V>{y, bias, count, Divider<Index>(static_cast<Index>(windows / V)),
                                                   Divider<Index>(static_cast<Index>(channels))});
    });
  };
  if (windows % width == 0 && is_aligned_to(y, 16)) write(std::integral_constant<int, width>{});
  else write(std::integral_constant<int, 1>{});
}

}  // namespace situ::internal::cuda::detail

#endif
