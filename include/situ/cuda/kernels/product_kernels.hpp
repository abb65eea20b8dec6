// SPDX-License-Identifier: Apache-2.0
// Kernels that complement cuBLASLt: products of integers, products with a vector, and bias and activation if they are
// not fused into a product. For a real GPU they are compiled once, in the library of `situ::internal::cuda`
// (src/cuda/product_kernels.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/cuda/kernels/reduce/reduce.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/formula/functional/activation.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/product.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/reduction.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// C = A B of integers, which wrap: a block computes a tile of C, each thread 4 x 4 elements, and iterates over k with
/// tiles of A and B in shared memory.
template <class T>
struct IntegerProduct {
  static constexpr int threads = 256;
  static constexpr const char* name = "matmul of integers";
  static constexpr int tile = 64;
  static constexpr int depth = 16;
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  struct Tiles {
    Word a[depth][tile + 1];  // padded by one, so that a column is not in a single bank
    Word b[depth][tile + 1];
  };
  const T* a;
  const T* b;
  T* c;
  std::int64_t m, n, k;
  std::int64_t a_row, a_column, b_row, b_column;
  std::int64_t tiles_across;
  std::int64_t count;
  StridedIndex<std::int64_t, 2> batch;  // in A and B

  SITU_DEVICE void operator()() const {
    auto& tiles = kernel::block_shared<Tiles>();
    const std::int64_t first_row = kernel::block() / tiles_across * tile;
    const std::int64_t first_column = kernel::block() % tiles_across * tile;
    const int row = kernel::thread() / 16 * 4;
    const int column = kernel::thread() % 16;  // and the columns 16, 32 and 48 further on
    for (std::int64_t product = kernel::block_y(); product < count; product += kernel::blocks_y()) {
      const auto offsets = batch.locate(product);
      Word sum[4][4] = {};
      for (std::int64_t from = 0; from < k; from += depth) {
        kernel::barrier();
        for (int i = kernel::thread(); i < tile * depth; i += threads) {
          const int step = i % depth, line = i / depth;
          const bool inside = first_row + line < m && from + step < k;
          tiles.a[step][line] =
              inside ? static_cast<Word>(a[offsets[0] + (first_row + line) * a_row + (from + step) * a_column]) : 0;
        }
        for (int i = kernel::thread(); i < tile * depth; i += threads) {
          const int step = i / tile, line = i % tile;
          const bool inside = first_column + line < n && from + step < k;
          tiles.b[step][line] =
              inside ? static_cast<Word>(b[offsets[1] + (from + step) * b_row + (first_column + line) * b_column]) : 0;
        }
        kernel::barrier();
        for (int step = 0; step < depth; ++step) {
          for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) sum[i][j] += tiles.a[step][row + i] * tiles.b[step][column + 16 * j];
          }
        }
      }
      T* to = c + product * m * n;
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          const std::int64_t r = first_row + row + i, s = first_column + column + 16 * j;
          if (r < m && s < n) to[r * n + s] = static_cast<T>(sum[i][j]);
        }
      }
    }
  }
};

template <class T>
void multiply_integers(const Backend& backend, const program::MatrixProduct& x) {
  constexpr std::int64_t tile = IntegerProduct<T>::tile;
  const std::int64_t count = x.batch.count();
  if (x.m == 0 || x.n == 0 || count == 0) return;
  const std::int64_t across = (x.n + tile - 1) / tile;
  const IntegerProduct<T> kernel{static_cast<const T*>(x.a),
                                 static_cast<const T*>(x.b),
                                 static_cast<T*>(x.c),
                                 x.m,
                                 x.n,
                                 x.k,
                                 x.a_row,
                                 x.a_column,
                                 x.b_row,
                                 x.b_column,
                                 across,
                                 count,
                                 StridedIndex<std::int64_t, 2>(program::Axes<2>({x.a_batch, x.b_batch}, x.batch))};
  const auto products = static_cast<int>(std::min<std::int64_t>(count, 65535));  // the others in turn
  launch(backend, Grid{across * ((x.m + tile - 1) / tile), products}, kernel);
}

/// `c[i] = activation(sums[i] + bias[i % columns])`; `sums` may be `c`, or the sums before rounding.
template <class Sum, class T>
struct FinishProduct {
  static constexpr int threads = 256;
  static constexpr const char* name = "linear: bias and activation";
  const Sum* sums;
  T* c;
  std::int64_t count;
  std::int64_t columns;
  const T* bias;  // or null
  std::int64_t bias_step;
  Activation activation;

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= count) return;
    auto value = static_cast<compute_t<T>>(sums[i]);
    if (bias != nullptr) value += static_cast<compute_t<T>>(bias[i % columns * bias_step]);
    if (activation == Activation::relu) value = functional::Relu{}(value);
    else if (activation == Activation::gelu_tanh) value = functional::GeluTanh{}(value);
    c[i] = kernel::stored<T>(value);
  }
};

/// The epilogue of a product that was computed without it.
template <class Sum, class T>
void finish_product(const Backend& backend, const Sum* sums, T* c, std::int64_t count, std::int64_t columns,
                    const program::ProductEnd& end) {
  const FinishProduct<Sum, T> kernel{sums,          c, count, columns, static_cast<const T*>(end.bias), end.bias_step,
                                     end.activation};
  launch(backend, Grid{(count + kernel.threads - 1) / kernel.threads, 1}, kernel);
}

/// A product with a vector: every element, a `Sum`, is the dot product of two rows. It is limited by memory bandwidth,
/// of which reductions use more than the kernels of matrix products.
template <class T, class Sum>
void multiply_by_vector(const Backend& backend, const program::MatrixProduct& x) {
  SITU_ASSERT(x.m == 1 || x.n == 1);
  using Program = program::Call<functional::Multiply, Sum, program::Leaf<T, 0>, program::Leaf<T, 1>>;
  constexpr int size = static_cast<int>(sizeof(T));
  program::Operand operands[] = {{x.a, size, x.a_batch}, {x.b, size, x.b_batch}};
  const int axis = x.batch.rank();
  const auto row = static_cast<std::size_t>(axis);
  Shape shape = x.batch;
  shape.push_back(x.n == 1 ? x.m : x.n);
  shape.push_back(x.k);
  operands[0].strides[row] = x.n == 1 ? x.a_row : 0;
  operands[0].strides[row + 1] = x.a_column;
  operands[1].strides[row] = x.n == 1 ? 0 : x.b_column;
  operands[1].strides[row + 1] = x.b_row;
  reduce<Sum>(backend, reduction::Sum{}, Program{}, operands, shape, program::AxisSet{2} << axis, x.c);
}

#if !defined(SITU_CUDA_EMULATED)
extern template void multiply_by_vector<float16, float16>(const Backend&, const program::MatrixProduct&);
extern template void multiply_by_vector<float16, float>(const Backend&, const program::MatrixProduct&);
extern template void multiply_by_vector<bfloat16, bfloat16>(const Backend&, const program::MatrixProduct&);
extern template void multiply_by_vector<bfloat16, float>(const Backend&, const program::MatrixProduct&);
extern template void multiply_by_vector<float, float>(const Backend&, const program::MatrixProduct&);
extern template void multiply_by_vector<double, double>(const Backend&, const program::MatrixProduct&);
extern template void multiply_integers<std::uint8_t>(const Backend&, const program::MatrixProduct&);
extern template void multiply_integers<std::int32_t>(const Backend&, const program::MatrixProduct&);
extern template void multiply_integers<std::int64_t>(const Backend&, const program::MatrixProduct&);
extern template void finish_product(const Backend&, const float16*, float16*, std::int64_t, std::int64_t,
                                    const program::ProductEnd&);
extern template void finish_product(const Backend&, const float*, float16*, std::int64_t, std::int64_t,
                                    const program::ProductEnd&);
extern template void finish_product(const Backend&, const bfloat16*, bfloat16*, std::int64_t, std::int64_t,
                                    const program::ProductEnd&);
extern template void finish_product(const Backend&, const float*, bfloat16*, std::int64_t, std::int64_t,
                                    const program::ProductEnd&);
extern template void finish_product(const Backend&, const float*, float*, std::int64_t, std::int64_t,
                                    const program::ProductEnd&);
extern template void finish_product(const Backend&, const double*, double*, std::int64_t, std::int64_t,
                                    const program::ProductEnd&);
#endif

}  // namespace situ::internal::cuda::detail

#endif
