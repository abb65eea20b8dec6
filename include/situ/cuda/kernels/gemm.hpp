// SPDX-License-Identifier: Apache-2.0
// The interface to matrix products of floats, in the form of cuBLASLt. On a GPU it is cuBLASLt, compiled once
// (src/cuda/gemm.cpp), so that no header includes it; the emulation multiplies on the host.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>
#include <situ/plan/product.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

enum class GemmType { float16, bfloat16, float32, float64 };

/// A matrix with contiguous rows, `ld` elements apart, or (`transposed`) contiguous columns. The matrices of a batch
/// are `batch` elements apart; 0 repeats one.
struct GemmOperand {
  const void* data = nullptr;
  bool transposed = false;
  std::int64_t ld = 0;
  std::int64_t batch = 0;
};

/// `count` products C = activation(A B + bias), or C += A B: A is m x k, B k x n, C m x n without gaps; none is empty.
/// The bias has n adjacent elements, or is null.
struct Gemm {
  GemmType type = GemmType::float32;
  Precision precision = Precision::full;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  GemmOperand a;
  GemmOperand b;
  void* c = nullptr;
  std::int64_t count = 1;
  const void* bias = nullptr;
  Activation activation = Activation::none;
  bool adds = false;  // to the present C; then without bias and activation
};

/// Computes the products in the backend's stream; sums of 16-bit floats are accumulated in `float` and rounded once.
/// Returns false if bias and activation are left to the caller. Throws `CudaError`.
[[nodiscard]] bool gemm(const Backend& backend, const Gemm& product);

}  // namespace situ::internal::cuda

#if defined(SITU_CUDA_EMULATED)
#include <situ/emulation/gemm.hpp>
#endif

#endif
