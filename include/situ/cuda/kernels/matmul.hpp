// SPDX-License-Identifier: Apache-2.0
// Matrix products on GPUs, with or without bias and activation: converts a batch with any strides to the form of
// cuBLASLt. A transposed operand is not copied; one with neither contiguous rows nor contiguous columns is.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/gemm.hpp>
#include <situ/cuda/kernels/product_kernels.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

template <class T>
inline constexpr GemmType gemm_type = std::same_as<T, float16>    ? GemmType::float16
                                      : std::same_as<T, bfloat16> ? GemmType::bfloat16
                                      : std::same_as<T, float>    ? GemmType::float32
                                                                  : GemmType::float64;

/// One operand of a batch of products.
struct MatrixStrides {
  const void* data;
  std::int64_t rows, columns;
  std::int64_t row, column;
  Strides batch;
};

/// The descriptor to read a matrix with these strides in place; none if it must be copied.
[[nodiscard]] inline std::optional<GemmOperand> as_it_lies(const MatrixStrides& x) {
  if ((x.columns == 1 || x.column == 1) && (x.rows == 1 || x.row >= x.columns))
    return GemmOperand{x.data, false, x.rows == 1 ? x.columns : x.row, 0};
  if ((x.rows == 1 || x.row == 1) && (x.columns == 1 || x.column >= x.rows))
    return GemmOperand{x.data, true, x.columns == 1 ? x.rows : x.column, 0};
  return std::nullopt;
}

/// An operand in the form of cuBLASLt, and its copy if one was needed; repeated matrices are copied once.
struct PreparedOperand {
  GemmOperand matrix;
  Strides batch;
  std::optional<Scratch> copy;

  PreparedOperand(const Backend& backend, const MatrixStrides& x, const Shape& batches, int element_size)
      : batch(x.batch) {
    const bool backwards =
        std::any_of(x.batch.begin(), x.batch.begin() + batches.rank(), [](std::int64_t step) { return step < 0; });
    if (const auto found = as_it_lies(x); found && !backwards) {
      matrix = *found;
      return;
    }
    program::Operand from{x.data, element_size, x.batch};
    program::Destination to{nullptr, element_size, batches, {}};
    for (int axis = 0; axis < batches.rank(); ++axis) {
      if (x.batch[static_cast<std::size_t>(axis)] == 0) to.shape.set(axis, 1);
    }
    const auto last = static_cast<std::size_t>(batches.rank());
    from.strides[last] = x.row;
    from.strides[last + 1] = x.column;
    to.shape.push_back(x.rows);
    to.shape.push_back(x.columns);
    to.strides = row_major_strides(to.shape);
    to.data = copy.emplace(backend, static_cast<std::size_t>(to.shape.count() * element_size)).data();
    copy_elements(backend, from, to);
    for (std::size_t axis = 0; axis < last; ++axis) batch[axis] = x.batch[axis] == 0 ? 0 : to.strides[axis];
    matrix = {to.data, false, x.columns, 0};
  }
};

/// The most products in one call: some kernels count blocks in 16 bits.
inline constexpr std::int64_t most_batches = 65535;

[[nodiscard]] inline const void* advanced(const void* data, std::int64_t elements, int element_size) {
  return static_cast<const std::byte*>(data) + elements * element_size;
}

/// Computes all products, in as few calls as the strides of the batch allow.
template <FloatingElement T>
void multiply_floats(const Backend& backend, const program::MatrixProduct& x, const program::ProductEnd& end,
                     bool adds) {
  constexpr int element_size = static_cast<int>(sizeof(T));
  const PreparedOperand a(backend, {x.a, x.m, x.k, x.a_row, x.a_column, x.a_batch}, x.batch, element_size);
  const PreparedOperand b(backend, {x.b, x.k, x.n, x.b_row, x.b_column, x.b_batch}, x.batch, element_size);
  const program::Axes<2> batch({a.batch, b.batch}, x.batch);
  const int last = batch.rank() - 1;
  Gemm product{gemm_type<T>, x.precision, x.m, x.n, x.k, a.matrix, b.matrix, x.c, 1, end.bias, end.activation, adds};
  product.count = batch.extent(last);  // a call for the products along the last axis of the batch
  const std::int64_t calls = batch.count() / product.count;
  if (product.count > 1) {
    product.a.batch = batch.stride(last, 0);
    product.b.batch = batch.stride(last, 1);
  }
  // Matrices that share B and are stacked in memory are merged into one.
  if (product.b.batch == 0 && !product.a.transposed && product.a.batch == x.m * product.a.ld) {
    product.m *= product.count;
    product.count = 1;
  }
  const std::int64_t inner = product.count;
  for (std::int64_t call = 0; call < calls; ++call) {
    const auto offsets = batch.offsets(call * batch.extent(last));
    Gemm part = product;
    for (std::int64_t first = 0; first < inner; first += most_batches) {
      part.count = std::min(most_batches, inner - first);
      part.a.data = advanced(product.a.data, offsets[0] + first * product.a.batch, element_size);
      part.b.data = advanced(product.b.data, offsets[1] + first * product.b.batch, element_size);
      T* const c = static_cast<T*>(product.c) + (call * inner + first) * product.m * x.n;
      part.c = c;
      const bool finished = [&] {
        const ObservedWork work(*backend.stream, "matmul");
        return gemm(backend, part);
      }();
      if (!finished) finish_product(backend, c, c, part.count * part.m * part.n, part.n, end);
    }
  }
}

/// The product of floats with its epilogue.
template <FloatingElement T>
void multiply(const Backend& backend, const program::MatrixProduct& x, program::ProductEnd end) {
  constexpr int size = static_cast<int>(sizeof(T));
  const std::int64_t elements = x.batch.count() * x.m * x.n;
  if (elements == 0) return;
  if (x.k == 0) {
    const DeviceGuard guard(backend.stream->device->physical, backend.ordinal);
    check(api::set_bytes(x.c, 0, static_cast<std::size_t>(elements) * sizeof(T), stream_of(backend)), "matmul",
          backend.ordinal);
    if (end.bias != nullptr || end.activation != Activation::none)
      finish_product(backend, static_cast<T*>(x.c), static_cast<T*>(x.c), elements, x.n, end);
    return;
  }
  std::optional<Scratch> adjacent;
  if (end.bias != nullptr && end.bias_step != 1 && x.n > 1) {
    adjacent.emplace(backend, static_cast<std::size_t>(x.n) * sizeof(T));
    copy_elements(backend, program::Operand{end.bias, size, {end.bias_step}},
                  program::Destination{adjacent->data(), size, {x.n}, {1}});
    end.bias = adjacent->data();
  }
  end.bias_step = 1;
  if (x.m > 1 && x.n > 1) return multiply_floats<T>(backend, x, end, false);
  T* const c = static_cast<T*>(x.c);
  if (end.bias == nullptr && end.activation == Activation::none) return multiply_by_vector<T, T>(backend, x);
  if constexpr (std::same_as<T, compute_t<T>>) {
    multiply_by_vector<T, T>(backend, x);
    finish_product(backend, c, c, elements, x.n, end);
  } else {  // sums in `float`, so that they are rounded once
    const Scratch sums(backend, static_cast<std::size_t>(elements) * sizeof(float));
    program::MatrixProduct wide = x;
    wide.c = sums.data();
    multiply_by_vector<T, float>(backend, wide);
    finish_product(backend, sums.template as<float>(), c, elements, x.n, end);
  }
}

}  // namespace detail

/// Computes `product` for elements of type `T`. Sums of 16-bit floats are accumulated in `float` and rounded once,
/// integers wrap.
template <NumberElement T>
void matrix_product(const Backend& backend, const program::MatrixProduct& product) {
  if constexpr (FloatingElement<T>) detail::multiply<T>(backend, product, {});
  else detail::multiply_integers<T>(backend, product);
}

/// Adds `product`, which is not empty, to the present result; 16-bit floats are rounded once, after the addition.
template <FloatingElement T>
void add_product(const Backend& backend, const program::MatrixProduct& product) {
  detail::multiply_floats<T>(backend, product, {}, true);
}

/// Computes `activation(product + bias)`, in the same pass if cuBLASLt has a kernel for it.
template <FloatingElement T>
void finished_product(const Backend& backend, const program::MatrixProduct& product, const program::ProductEnd& end) {
  detail::multiply<T>(backend, product, end);
}

}  // namespace situ::internal::cuda

#endif
