// SPDX-License-Identifier: Apache-2.0
// The kernel of host devices for a batch of matrix products.
#pragma once

#include <cstddef>

#include <situ/core/dtype.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/product.hpp>

namespace situ::internal::cpu {

/// Computes `product` for elements of type `T`; see `gemm`. (Not named `matmul`: an explicit `T` would be tried as the
/// device of the guards that stand beside that.)
template <NumberElement T>
void matrix_product(Backend, const program::MatrixProduct& product) {
  MatrixBatch batch;
  batch.rank = product.batch.rank();
  for (int axis = 0; axis < batch.rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    batch.extents[i] = product.batch[axis];
    batch.a[i] = product.a_batch[i];
    batch.b[i] = product.b_batch[i];
  }
  gemm<T>(product.m, product.n, product.k, {static_cast<const T*>(product.a), product.a_row, product.a_column},
          {static_cast<const T*>(product.b), product.b_row, product.b_column}, static_cast<T*>(product.c), batch);
}

}  // namespace situ::internal::cpu
