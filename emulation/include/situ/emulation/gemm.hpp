// SPDX-License-Identifier: Apache-2.0
// `gemm` of the emulation: the CPU's product as a stream operation.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/gemm.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/formula/functional/activation.hpp>
#include <situ/plan/product.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda {

namespace detail {

template <class T>
[[nodiscard]] cpu::MatrixRef<T> matrix_ref(const GemmOperand& x) {
  return {static_cast<const T*>(x.data), x.transposed ? 1 : x.ld, x.transposed ? x.ld : 1};
}

/// One matrix of a batch as `float`, in the order of its memory.
template <class T>
[[nodiscard]] cpu::MatrixRef<float> widened(const GemmOperand& x, std::int64_t rows, std::int64_t columns,
                                            std::int64_t matrix, std::vector<float>& to) {
  if (x.transposed) std::swap(rows, columns);
  to.clear();
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* const row = static_cast<const T*>(x.data) + matrix * x.batch + i * x.ld;
    for (std::int64_t j = 0; j < columns; ++j) to.push_back(static_cast<float>(row[j]));
  }
  return {to.data(), x.transposed ? 1 : columns, x.transposed ? columns : 1};
}

/// A product of 16-bit floats with its addend or its epilogue, for which cuBLASLt has kernels: all in `float`, rounded
/// once.
template <class T>
void wide_gemm_on_host(const Gemm& product) {
  const std::int64_t count = product.m * product.n;
  const T* const bias = static_cast<const T*>(product.bias);
  std::vector<float> a, b, sums(static_cast<std::size_t>(count));
  for (std::int64_t matrix = 0; matrix < product.count; ++matrix) {
    const cpu::MatrixRef<float> left = widened<T>(product.a, product.m, product.k, matrix, a);
    const cpu::MatrixRef<float> right = widened<T>(product.b, product.k, product.n, matrix, b);
    cpu::gemm<float>(product.m, product.n, product.k, left, right, sums.data());
    T* const c = static_cast<T*>(product.c) + matrix * count;
    for (std::int64_t i = 0; i < count; ++i) {
      float value = sums[static_cast<std::size_t>(i)];
      if (product.adds) value += static_cast<float>(c[i]);
      if (bias != nullptr) value += static_cast<float>(bias[i % product.n]);
      if (product.activation == Activation::relu) value = functional::Relu{}(value);
      else if (product.activation == Activation::gelu_tanh) value = functional::GeluTanh{}(value);
      c[i] = kernel::stored<T>(value);
    }
  }
}

template <class T>
void gemm_on_host(const Gemm& product) {
  if constexpr (!std::same_as<T, compute_t<T>>) {
    if (product.adds || product.bias != nullptr || product.activation != Activation::none)
      return wide_gemm_on_host<T>(product);
  }
  T* const c = static_cast<T*>(product.c);
  const std::int64_t count = product.count * product.m * product.n;
  std::vector<T> before;
  if (product.adds) before.assign(c, c + count);
  cpu::gemm<T>(product.m, product.n, product.k, matrix_ref<T>(product.a), matrix_ref<T>(product.b), c,
               {{Strides{product.a.batch}, Strides{product.b.batch}}, Shape{product.count}});
  for (std::size_t i = 0; i < before.size(); ++i) {
    c[i] = static_cast<T>(static_cast<compute_t<T>>(c[i]) + static_cast<compute_t<T>>(before[i]));
  }
  for (std::int64_t i = 0; i < count; ++i) c[i] = kernel::stored<T>(static_cast<compute_t<T>>(c[i]));
}

}  // namespace detail

inline bool gemm(const Backend& backend, const Gemm& product) {
  const auto run = [product] {
    switch (product.type) {
      case GemmType::float16:
        return detail::gemm_on_host<float16>(product);
      case GemmType::bfloat16:
        return detail::gemm_on_host<bfloat16>(product);
      case GemmType::float32:
        return detail::gemm_on_host<float>(product);
      case GemmType::float64:
        return detail::gemm_on_host<double>(product);
    }
  };
  check(emulated::enqueue(stream_of(backend), "gemm", run), "matmul", backend.ordinal, "(", product.m, ", ", product.k,
        ") and (", product.k, ", ", product.n, "), ", product.count, " of them");
  // For `float` the epilogue is left to the caller, which must handle that case.
  const bool wide = product.type == GemmType::float16 || product.type == GemmType::bfloat16;
  return wide || (product.bias == nullptr && product.activation == Activation::none);
}

}  // namespace situ::internal::cuda

#endif
