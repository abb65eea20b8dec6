// SPDX-License-Identifier: Apache-2.0
// A batch of matrix products as every backend sees it.
#pragma once

#include <cstdint>

#include <situ/core/shape.hpp>

namespace situ::program {

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
  Shape batch;
  Strides a_batch{};
  Strides b_batch{};
};

}  // namespace situ::program
