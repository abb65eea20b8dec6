// SPDX-License-Identifier: Apache-2.0
// A batch of matrix products for all backends, and the epilogue that may be applied to the result.
#pragma once

#include <cstdint>

#include <situ/core/shape.hpp>

namespace situ {

/// The precision of a product of `float`. `tf32`: a GPU with tensor cores may round the operands to 11 significant bits
/// (TF32), several times as fast; sums stay `float`. No effect on other element types and on the CPU.
enum class Precision { full, tf32 };

/// The function that `linear` applies to its result.
enum class Activation { none, relu, gelu_tanh };

namespace internal::program {

/// C = A B for every matrix of a batch: A is m x k, B k x n, both with any strides (in elements, 0 along broadcast
/// batch axes); the products are stored one after another in row-major order without gaps.
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

/// The epilogue of a product: `activation(c + bias)`, with one element of the bias for every column, `bias_step` apart,
/// or null.
struct ProductEnd {
  const void* bias = nullptr;
  std::int64_t bias_step = 1;
  Activation activation = Activation::none;
};

}  // namespace internal::program

}  // namespace situ
