// SPDX-License-Identifier: Apache-2.0
// Convolutions on GPUs, by products of matrices (im2col): a column for each window, with the elements that it reads,
// for as many images at a time as there is working memory for. No atomics: the same bits in every run.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/depthwise.hpp>
#include <situ/cuda/kernels/divider.hpp>
#include <situ/cuda/kernels/matmul.hpp>
#include <situ/cuda/kernels/plane_index.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::cuda {

namespace detail {

/// Writes the columns of images: a thread has one window of one channel, and writes an element of each of its rows.
template <class T>
struct ImageToColumns {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: columns";
  const T* x;
  T* columns;
  std::int64_t count;  // images * channels * windows
  Divider<std::int64_t> channels;
  PlaneIndex windows;
  program::Window2d window;
  std::int64_t image_step;  // between images in the columns
  std::int64_t row_step;    // between rows of the columns

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    std::int64_t plane, row, column;
    windows(i, plane, row, column);
    const std::int64_t image = channels.quotient(plane);
    const std::int64_t channel = plane - image * static_cast<std::int64_t>(channels.divisor);
    const T* const from = x + plane * window.image();
    T* to = columns + image * image_step + channel * window.kernel() * row_step + row * window.width.out + column;
    for (std::int64_t a = 0; a < window.height.kernel; ++a) {
      const std::int64_t line = window.height.first(row) + a * window.height.dilation;
      for (std::int64_t b = 0; b < window.width.kernel; ++b, to += row_step) {
        const std::int64_t at = window.width.first(column) + b * window.width.dilation;
        const bool inside = line >= 0 && line < window.height.in && at >= 0 && at < window.width.in;
        *to = inside ? from[line * window.width.in + at] : T{};
      }
    }
  }
};

/// Adds up columns: a thread has one element of one channel, and reads it in all windows that have it.
template <class T>
struct ColumnsToImage {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: gradient of the images";
  const T* columns;
  T* x;
  std::int64_t count;  // images * channels * elements
  PlaneIndex elements;
  program::Window2d window;

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    std::int64_t plane, line, at;
    elements(i, plane, line, at);
    const T* from = columns + plane * window.kernel() * window.windows();
    compute_t<T> sum(0);
    for (std::int64_t a = 0; a < window.height.kernel; ++a) {
      const std::int64_t row = window.height.window_of(line, a);
      for (std::int64_t b = 0; b < window.width.kernel; ++b, from += window.windows()) {
        const std::int64_t column = window.width.window_of(at, b);
        if (row >= 0 && column >= 0) sum += static_cast<compute_t<T>>(from[row * window.width.out + column]);
      }
    }
    x[i] = static_cast<T>(sum);
  }
};

/// `y[i] += bias[channel of i]`.
template <class T>
struct AddChannelBias {
  static constexpr int threads = 256;
  static constexpr const char* name = "conv2d: bias";
  T* y;
  const T* bias;
  std::int64_t count;
  Divider<std::int64_t> windows;
  Divider<std::int64_t> channels;

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    const std::int64_t plane = windows.quotient(i);
    const std::int64_t channel = plane - channels.quotient(plane) * static_cast<std::int64_t>(channels.divisor);
    y[i] = static_cast<T>(static_cast<compute_t<T>>(y[i]) + static_cast<compute_t<T>>(bias[channel]));
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
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    compute_t<T> sum(0);
    for (std::int64_t k = 0; k < number; ++k) sum += static_cast<compute_t<T>>(parts[k * count + i]);
    out[i] = static_cast<T>(sum);
  }
};

/// The images whose columns there is working memory for, at least one.
template <class T>
[[nodiscard]] std::int64_t images_at_a_time(const program::Convolution& c) {
  const std::int64_t most = c.working_memory / static_cast<std::int64_t>(sizeof(T));
  return std::clamp<std::int64_t>(most / (c.groups * c.depth() * c.window.windows()), 1, c.images);
}

/// Writes the columns of `images` images of x; in memory the elements of (image, row, window), or (row, image, window).
template <class T>
void write_columns(const Backend& backend, const program::Convolution& c, const T* x, std::int64_t images,
                   bool image_first, T* columns) {
  const std::int64_t channels = c.groups * c.in_channels;
  const std::int64_t windows = c.window.windows();
  launch_all(backend, ImageToColumns<T>{x, columns, images * channels * windows, Divider<std::int64_t>(channels),
                                        PlaneIndex(c.window.height.out, c.window.width.out), c.window,
                                        image_first ? c.groups * c.depth() * windows : windows,
                                        image_first ? windows : images * windows});
}

template <class T>
[[nodiscard]] std::size_t column_bytes(const program::Convolution& c, std::int64_t images) {
  return static_cast<std::size_t>(images * c.groups * c.depth() * c.window.windows()) * sizeof(T);
}

}  // namespace detail

/// `y` of the convolution of `x` with `weight`; `bias` is null or has an element for each channel of y.
template <FloatingElement T>
void convolve(const Backend& backend, const program::Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  if (detail::is_depthwise(c)) return detail::depthwise(backend, c, x, weight, bias, y);
  const std::int64_t each = detail::images_at_a_time<T>(c);
  const std::int64_t windows = c.window.windows();
  const bool is_product = c.window.pointwise();  // x itself has the columns
  std::optional<Scratch> columns;
  if (!is_product) columns.emplace(backend, detail::column_bytes<T>(c, each));
  program::MatrixProduct product;
  product.m = c.out_channels;
  product.n = windows;
  product.k = c.depth();
  product.a = weight;
  product.a_row = c.depth();
  product.a_column = 1;
  product.a_batch = {0, c.out_channels * c.depth()};
  product.b_row = windows;
  product.b_column = 1;
  product.b_batch = {c.groups * c.depth() * windows, c.depth() * windows};
  product.precision = c.precision;
  for (std::int64_t first = 0; first < c.images; first += each) {
    const std::int64_t images = std::min(each, c.images - first);
    product.batch = Shape{images, c.groups};
    product.b = x + first * c.image_in();
    product.c = y + first * c.image_out();
    if (!is_product) {
      detail::write_columns(backend, c, x + first * c.image_in(), images, true, columns->as<T>());
      product.b = columns->data();
    }
    matrix_product<T>(backend, product);
  }
  if (bias == nullptr) return;
  const std::int64_t channels = c.groups * c.out_channels;
  detail::launch_all(backend, detail::AddChannelBias<T>{y, bias, c.images * c.image_out(),
                                                        Divider<std::int64_t>(windows),
                                                        Divider<std::int64_t>(channels)});
}

/// The gradient of `x` from that of y, `g`.
template <FloatingElement T>
void convolve_input_gradient(const Backend& backend, const program::Convolution& c, const T* g, const T* weight, T* x) {
  if (detail::is_depthwise(c)) return detail::depthwise_input_gradient(backend, c, g, weight, x);
  const std::int64_t each = detail::images_at_a_time<T>(c);
  const std::int64_t windows = c.window.windows();
  const Scratch columns(backend, detail::column_bytes<T>(c, each));
  program::MatrixProduct product;
  product.m = c.depth();
  product.n = windows;
  product.k = c.out_channels;
  product.a = weight;
  product.a_row = 1;
  product.a_column = c.depth();
  product.a_batch = {0, c.out_channels * c.depth()};
  product.b_row = windows;
  product.b_column = 1;
  product.b_batch = {c.image_out(), c.out_channels * windows};
  product.c = columns.data();
  product.precision = c.precision;
  for (std::int64_t first = 0; first < c.images; first += each) {
    const std::int64_t images = std::min(each, c.images - first);
    product.batch = Shape{images, c.groups};
    product.b = g + first * c.image_out();
    matrix_product<T>(backend, product);
    detail::launch_all(backend, detail::ColumnsToImage<T>{
                                    columns.as<T>(), x + first * c.image_in(), images * c.image_in(),
                                    detail::PlaneIndex(c.window.height.in, c.window.width.in), c.window});
  }
}

/// The gradient of `weight` from that of y, `g`.
template <FloatingElement T>
void convolve_weight_gradient(const Backend& backend, const program::Convolution& c, const T* g, const T* x,
                              T* weight) {
  const std::int64_t each = detail::images_at_a_time<T>(c);
  const std::int64_t parts = (c.images - 1) / each + 1;
  const std::int64_t windows = c.window.windows();
  const std::int64_t channels = c.groups * c.out_channels;
  constexpr int size = static_cast<int>(sizeof(T));
  const Scratch columns(backend, detail::column_bytes<T>(c, each));
  const Scratch gradient(backend, static_cast<std::size_t>(each * c.image_out()) * sizeof(T));
  std::optional<Scratch> sums;
  if (parts > 1) sums.emplace(backend, static_cast<std::size_t>(parts * c.weights()) * sizeof(T));
  T* const to = sums ? sums->as<T>() : weight;
  program::MatrixProduct product;
  product.m = c.out_channels;
  product.n = c.depth();
  product.batch = Shape{c.groups};
  product.precision = c.precision;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = part * each;
    const std::int64_t images = std::min(each, c.images - first);
    // One product over all images: the elements of both operands in the order (row, image, window).
    detail::write_columns(backend, c, x + first * c.image_in(), images, false, columns.as<T>());
    const program::Operand from{g + first * c.image_out(), size, {windows, c.image_out(), 1}};
    const Shape order{channels, images, windows};
    copy_elements(backend, from, program::Destination{gradient.data(), size, order, row_major_strides(order)});
    product.k = images * windows;
    product.a = gradient.data();
    product.a_row = product.k;
    product.a_column = 1;
    product.a_batch = {c.out_channels * product.k};
    product.b = columns.data();
    product.b_row = 1;
    product.b_column = product.k;
    product.b_batch = {c.depth() * product.k};
    product.c = to + part * c.weights();
    matrix_product<T>(backend, product);
  }
  if (sums) detail::launch_all(backend, detail::SumOfParts<T>{to, weight, c.weights(), parts});
}

}  // namespace situ::internal::cuda

#endif
