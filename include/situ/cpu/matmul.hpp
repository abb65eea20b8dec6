// SPDX-License-Identifier: Apache-2.0
// The kernel of host devices for a batch of matrix products.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/product.hpp>

namespace situ::internal::cpu {

/// Computes `product` for elements of type `T`; see `gemm`. (Not named `matmul`: an explicit `T` would be tried as the
/// device of the guards that stand beside that.)
template <NumberElement T>
void matrix_product(Backend, const program::MatrixProduct& product) {
  gemm<T>(product.m, product.n, product.k, {static_cast<const T*>(product.a), product.a_row, product.a_column},
          {static_cast<const T*>(product.b), product.b_row, product.b_column}, static_cast<T*>(product.c),
          {{product.a_batch, product.b_batch}, product.batch});
}

}  // namespace situ::internal::cpu
