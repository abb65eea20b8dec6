// SPDX-License-Identifier: Apache-2.0
// A batch of matrix products as every backend sees it, and what may be done to the result on its way to memory.
#pragma once

#include <cstdint>

#include <situ/core/shape.hpp>

namespace situ {

/// What a product of `float` may lose. `full`: nothing. `tf32`: a GPU that has tensor cores may round the operands to
/// 11 significant bits (TF32), several times as fast; sums stay `float`. Other element types and the CPU know no
/// difference.
enum class Precision { full, tf32 };

/// What `linear` applies to its result.
enum class Activation { none, relu, gelu_tanh };

namespace internal::program {

/// C = A B for every matrix of a batch: A is m x k, B k x n, both with any strides (in elements, 0 along broadcast
/// batch axes); the products lie one after another in row-major order without gaps.
struct MatrixProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  const void* a = nullptr;
  std::int64_t a_row = 0;
  std::int64_t a_column = 0;
  const void* b = nullptr;
  std::int64_t b_row = 0;
  std::int64_t b_column = 0;
  void* c = nullptr;
  Shape batch{};
  Strides a_batch{};
  Strides b_batch{};
  Precision precision = Precision::full;
};

/// The end of a product: `activation(c + bias)`, the bias one element for every column, `bias_step` apart, or null.
struct ProductEnd {
  const void* bias = nullptr;
  std::int64_t bias_step = 1;
  Activation activation = Activation::none;
};

}  // namespace internal::program

}  // namespace situ
