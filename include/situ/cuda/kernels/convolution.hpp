// SPDX-License-Identifier: Apache-2.0
// Convolutions on GPUs: by cuDNN if available, else as matrix products. Their columns are read from the images during
// the multiplication (implicit), or are written first, for as many images at a time as fit in the working memory. No
// atomics: the same bits in every run.
#pragma once

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/window.hpp>

#if defined(SITU_CUDA)
#if defined(SITU_CUDA_EMULATED)
#include <situ/cuda/kernels/cudnn_convolution.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/cuda/kernels/columns.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/cudnn.hpp>
#include <situ/cuda/kernels/depthwise.hpp>
#include <situ/cuda/kernels/implicit_product.hpp>
#include <situ/cuda/kernels/matmul.hpp>
#include <situ/cuda/kernels/plane_index.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/program.hpp>

namespace situ::internal::cuda {

namespace detail {

/// Whether the columns need not be stored: for other elements and for `tf32`, cuBLASLt uses tensor cores, and it has
/// more ways to distribute a product that is too small for all multiprocessors.
template <class T>
[[nodiscard]] bool is_implicit(const Backend& backend, const program::Convolution& c) {
  return std::same_as<T, float> && c.precision == Precision::full && has_implicit_product(c) &&
         implicit_tiles(c) >= multiprocessors(backend);
}

/// The number of images whose columns fit in the working memory, at least one.
template <class T>
[[nodiscard]] std::int64_t images_at_a_time(const program::Convolution& c) {
  const std::int64_t most = c.working_memory / static_cast<std::int64_t>(sizeof(T));
  return std::clamp<std::int64_t>(most / (c.groups * c.depth() * c.window.windows()), 1, c.images);
}

template <class T>
[[nodiscard]] std::size_t column_bytes(const program::Convolution& c, std::int64_t images) {
  return static_cast<std::size_t>(images * c.groups * c.depth() * c.window.windows()) * sizeof(T);
}

/// The convolution that computes the gradient of the images of `c`, for stride 1, from that of y: with flipped kernels
/// whose channels are swapped.
[[nodiscard]] inline program::Convolution turned(const program::Convolution& c) {
  program::Convolution result = c;
  std::swap(result.in_channels, result.out_channels);
  for (program::WindowAxis* axis : {&result.window.height, &result.window.width}) {
    std::swap(axis->in, axis->out);
    axis->padding = (axis->kernel - 1) * axis->dilation - axis->padding;
  }
  return result;
}

/// The kernels of `c` in the form for its `turned` convolution.
template <class T>
void turn(const Backend& backend, const program::Convolution& c, const T* weight, T* to) {
  constexpr int size = static_cast<int>(sizeof(T));
  const std::int64_t down = c.window.height.kernel, across = c.window.width.kernel, kernel = c.window.kernel();
  const Shape shape{c.groups, c.in_channels, c.out_channels, down, across};
  const program::Operand from{
      weight + (kernel - 1), size, {c.out_channels * c.depth(), kernel, c.depth(), -across, -1}};
  copy_elements(backend, from, program::Destination{to, size, shape, row_major_strides(shape)});
}

}  // namespace detail

/// `y` of the convolution of `x` with `weight`; `bias` is null or has an element for each channel of y.
template <FloatingElement T>
void convolve(const Backend& backend, const program::Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  if (detail::is_depthwise(c)) return detail::depthwise(backend, c, x, weight, bias, y);
  const bool is_product = c.window.pointwise();  // x itself is the columns
  if (!is_product && cudnn() != nullptr) {
    if (bias != nullptr) detail::write_bias(backend, c, bias, y);
    if (convolve_by_cudnn(backend, CudnnTask::forward, detail::gemm_type<T>, c, x, weight, y, bias != nullptr)) return;
  }
  if constexpr (std::same_as<T, float>) {
    if (!is_product && detail::is_implicit<T>(backend, c))
      return detail::implicit_product<T>(backend, c, x, weight, bias, y);
  }
  const std::int64_t each = is_product ? c.images : detail::images_at_a_time<T>(c);
  const std::int64_t windows = c.window.windows();
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
  if (bias != nullptr) detail::write_bias(backend, c, bias, y);
  for (std::int64_t first = 0; first < c.images; first += each) {
    const std::int64_t images = std::min(each, c.images - first);
    product.batch = Shape{images, c.groups};
    product.b = x + first * c.image_in();
    product.c = y + first * c.image_out();
    if (!is_product) {
      detail::write_columns(backend, c, x + first * c.image_in(), images, true, columns->as<T>());
      product.b = columns->data();
    }
    if (bias != nullptr) add_product<T>(backend, product);
    else matrix_product<T>(backend, product);
  }
}

/// The gradient of `x` from that of y, `g`.
template <FloatingElement T>
void convolve_input_gradient(const Backend& backend, const program::Convolution& c, const T* g, const T* weight, T* x) {
  if (detail::is_depthwise(c)) return detail::depthwise_input_gradient(backend, c, g, weight, x);
  const bool is_product = c.window.pointwise();
  if (!is_product &&
      convolve_by_cudnn(backend, CudnnTask::input_gradient, detail::gemm_type<T>, c, x, weight, g, false))
    return;
  if constexpr (std::same_as<T, float>) {
    const program::Convolution back = detail::turned(c);
    if (!is_product && c.window.height.stride == 1 && c.window.width.stride == 1 && c.window.fits_32_bits() &&
        detail::is_implicit<T>(backend, back)) {
      const Scratch kernels(backend, static_cast<std::size_t>(c.weights()) * sizeof(T));
      detail::turn(backend, c, weight, kernels.as<T>());
      return detail::implicit_product<T>(backend, back, g, kernels.as<T>(), nullptr, x);
    }
  }
  const std::int64_t each = is_product ? c.images : detail::images_at_a_time<T>(c);
  const std::int64_t windows = c.window.windows();
  std::optional<Scratch> columns;
  if (!is_product) columns.emplace(backend, detail::column_bytes<T>(c, each));
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
  product.c = is_product ? x : columns->data();
  product.precision = c.precision;
  for (std::int64_t first = 0; first < c.images; first += each) {
    const std::int64_t images = std::min(each, c.images - first);
    product.batch = Shape{images, c.groups};
    product.b = g + first * c.image_out();
    matrix_product<T>(backend, product);
    if (!is_product) detail::add_columns(backend, c, columns->as<T>(), images, x + first * c.image_in());
  }
}

/// The gradient of `weight` from that of y, `g`.
template <FloatingElement T>
void convolve_weight_gradient(const Backend& backend, const program::Convolution& c, const T* g, const T* x,
                              T* weight) {
  if (detail::is_depthwise(c)) return detail::depthwise_weight_gradient(backend, c, g, x, weight);
  if (!c.window.pointwise() &&
      convolve_by_cudnn(backend, CudnnTask::weight_gradient, detail::gemm_type<T>, c, x, weight, g, false))
    return;
  const std::int64_t each = detail::images_at_a_time<T>(c);
  const std::int64_t parts = (c.images - 1) / each + 1;
  const std::int64_t windows = c.window.windows();
  const std::int64_t channels = c.groups * c.out_channels;
  constexpr int size = static_cast<int>(sizeof(T));
  // One product over all images of a part, with the elements of both operands in the order (row, image, window), which
  // a single image already has.
  const bool x_is_columns = each == 1 && c.window.pointwise();
  std::optional<Scratch> columns, gradient, sums;
  if (!x_is_columns) columns.emplace(backend, detail::column_bytes<T>(c, each));
  if (each > 1) gradient.emplace(backend, static_cast<std::size_t>(each * c.image_out()) * sizeof(T));
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
    product.a = g + first * c.image_out();
    product.b = x + first * c.image_in();
    if (columns) {
      detail::write_columns(backend, c, x + first * c.image_in(), images, false, columns->as<T>());
      product.b = columns->data();
    }
    if (gradient) {
      const program::Operand from{g + first * c.image_out(), size, {windows, c.image_out(), 1}};
      const Shape order{channels, images, windows};
      copy_elements(backend, from, program::Destination{gradient->data(), size, order, row_major_strides(order)});
      product.a = gradient->data();
    }
    product.k = images * windows;
    product.a_row = product.k;
    product.a_column = 1;
    product.a_batch = {c.out_channels * product.k};
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
