// SPDX-License-Identifier: Apache-2.0
// Operations on matrices between solver calls: row-major and column-major copies, permutations, triangles,
// determinants. For a real GPU the kernels are compiled once (src/cuda/linalg/kernels.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <situ/core/shape.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// The position of this thread in the whole grid of blocks of `Threads`.
template <int Threads>
SITU_DEVICE std::int64_t grid_thread() {
  return kernel::block() * Threads + kernel::thread();
}
/// The grid of a kernel with a thread for each of `count` elements.
template <class K>
[[nodiscard]] Grid grid_over(std::int64_t count) {
  return {(count + K::threads - 1) / K::threads, 1};
}

/// Converts row swaps to a permutation: a block for each matrix, in which one thread applies the swaps, in shared
/// memory if it is large enough.
template <class Pivot>
struct PermutationOfPivots {
  static constexpr int threads = 256;
  static constexpr const char* name = "lu: permutation";
  struct Order {
    std::int32_t row[8192];
  };
  const Pivot* pivots;  // count from 1
  std::int64_t step;    // 0: those of one matrix for all
  std::int64_t* permutation;
  std::int64_t rows, steps;

  template <class Row>
  SITU_DEVICE void exchange(Row* order) const {
    const Pivot* const pivot = pivots + kernel::block() * step * steps;
    for (std::int64_t i = kernel::thread(); i < rows; i += threads) order[i] = static_cast<Row>(i);
    kernel::barrier();
    if (kernel::thread() == 0) {
      for (std::int64_t i = 0; i < steps; ++i) {
        const auto j = static_cast<std::int64_t>(pivot[i]) - 1;
        const Row moved = order[i];
        order[i] = order[j];
        order[j] = moved;
      }
    }
    kernel::barrier();
  }

  SITU_DEVICE void operator()() const {
    std::int64_t* const out = permutation + kernel::block() * rows;
    if (rows > static_cast<std::int64_t>(sizeof(Order) / sizeof(std::int32_t))) return exchange(out);
    std::int32_t* const order = kernel::block_shared<Order>().row;
    exchange(order);
    for (std::int64_t i = kernel::thread(); i < rows; i += threads) out[i] = order[i];
  }
};

/// Row i of a result is row `permutation[i]` of B, or of the identity if B has no data.
template <class T>
struct PermuteRows {
  static constexpr int threads = 256;
  static constexpr const char* name = "solve: permute rows";
  const std::int64_t* permutation;
  std::int64_t permutation_batch;  // 0: one for all matrices
  program::Matrices<T> b;
  T* out;

  SITU_DEVICE void operator()() const {
    const std::int64_t at = grid_thread<threads>();
    const std::int64_t each = b.rows * b.columns;
    if (at >= b.count * each) return;
    const std::int64_t matrix = at / each, row = at % each / b.columns, column = at % b.columns;
    const std::int64_t from = permutation[matrix * permutation_batch + row];
    out[at] = b.data == nullptr ? static_cast<T>(from == column ? 1 : 0)
                                : b.data[matrix * b.batch + from * b.row + column * b.column];
  }
};

/// Copies a triangle of A into a matrix that is 0 elsewhere and may be A itself; `unit`: 1 on the diagonal.
template <class T>
struct CopyTriangle {
  static constexpr int threads = 256;
  static constexpr const char* name = "copy of a triangle";
  program::Matrices<T> a;  // the part that the result has
  Triangle triangle;
  bool unit;
  T* out;

  SITU_DEVICE void operator()() const {
    const std::int64_t at = grid_thread<threads>();
    const std::int64_t each = a.rows * a.columns;
    if (at >= a.count * each) return;
    const std::int64_t matrix = at / each, row = at % each / a.columns, column = at % a.columns;
    if (row == column && unit) {
      out[at] = T(1);
    } else if (triangle == Triangle::lower ? row < column : row > column) {
      out[at] = T(0);
    } else {
      out[at] = a.data[matrix * a.batch + row * a.row + column * a.column];
    }
  }
};

/// Determinants, or their signs and the logarithms of their magnitudes, from factors L U: a block for each matrix,
/// whose threads load the diagonal, and one of which multiplies it in order.
template <class T, class Pivot, bool Logarithm>
struct Determinants {
  static constexpr int threads = 256;
  static constexpr const char* name = Logarithm ? "slogdet" : "det";
  struct Part {
    T pivot[std::size_t{threads}];
    T logarithm[std::size_t{threads}];
    bool exchanges[std::size_t{threads}];
  };
  const T* factors;
  const Pivot* pivots;
  std::int64_t step;  // 0: those of one matrix for all
  std::int64_t order;
  T* out;        // determinants or signs
  T* logarithm;  // or null

  SITU_DEVICE void operator()() const {
    auto& part = kernel::block_shared<Part>();
    const T* const diagonal = factors + kernel::block() * step * order * order;
    const Pivot* const pivot = pivots + kernel::block() * step * order;
    const int thread = kernel::thread();
    T product = 1, sum = 0;
    bool singular = false;
    for (std::int64_t first = 0; first < order; first += threads) {
      const std::int64_t i = first + thread;
      if (i < order) {
        const T value = diagonal[i * (order + 1)];
        part.pivot[thread] = value;
        part.exchanges[thread] = static_cast<std::int64_t>(pivot[i]) != i + 1;
        if constexpr (Logarithm) part.logarithm[thread] = math::log(value < 0 ? -value : value);
      }
      kernel::barrier();
      if (thread == 0) {
        const auto count = static_cast<int>(order - first < threads ? order - first : threads);
        for (int k = 0; k < count; ++k) {
          const T value = part.pivot[k];
          singular = singular || value == 0;
          if constexpr (Logarithm) {
            sum += part.logarithm[k];
            product *= value > 0 ? T(1) : value < 0 ? T(-1) : value;
          } else {
            product *= value;
          }
          if (part.exchanges[k]) product = -product;
        }
      }
      kernel::barrier();
    }
    if (thread != 0) return;
    out[kernel::block()] = kernel::computed(singular ? T(0) : product);
    if constexpr (Logarithm)
      logarithm[kernel::block()] = kernel::computed(singular ? -std::numeric_limits<T>::infinity() : sum);
  }
};

/// Divides row i of C by singular value i, or sets it to 0 if that is not above `tolerance` times the largest; and
/// counts those above.
template <class T>
struct DivideBySingularValues {
  static constexpr int threads = 256;
  static constexpr const char* name = "lstsq: divide by singular values";
  const T* s;
  std::int64_t values;
  T* c;
  std::int64_t columns;
  T tolerance;
  std::int64_t* rank;

  SITU_DEVICE void operator()() const {
    const T* const value = s + kernel::block() * values;
    const T least = tolerance * value[0];
    T* const row = c + kernel::block() * values * columns;
    for (std::int64_t at = kernel::thread(); at < values * columns; at += threads) {
      const T divisor = value[at / columns];
      row[at] = divisor > least ? kernel::computed(row[at] / divisor) : T(0);
    }
    if (kernel::thread() != 0) return;
    std::int64_t counted = 0;
    while (counted < values && value[counted] > least) ++counted;
    rank[kernel::block()] = counted;
  }
};

template <class Pivot>
void find_permutations(const Backend& backend, const Pivot* pivots, std::int64_t step, std::int64_t rows,
                       std::int64_t steps, std::int64_t count, std::int64_t* permutation) {
  launch(backend, {count, 1}, PermutationOfPivots<Pivot>{pivots, step, permutation, rows, steps});
}
template <class T>
void permute_rows(const Backend& backend, const std::int64_t* permutation, std::int64_t permutation_batch,
                  const program::Matrices<T>& b, T* out) {
  launch(backend, grid_over<PermuteRows<T>>(b.count * b.rows * b.columns),
         PermuteRows<T>{permutation, permutation_batch, b, out});
}
template <class T>
void copy_triangle(const Backend& backend, const program::Matrices<T>& a, Triangle triangle, bool unit, T* out) {
  launch(backend, grid_over<CopyTriangle<T>>(a.count * a.rows * a.columns), CopyTriangle<T>{a, triangle, unit, out});
}
template <class T, class Pivot>
void determinants_of_factors(const Backend& backend, const T* factors, const Pivot* pivots, std::int64_t step,
                             std::int64_t order, std::int64_t count, T* out, T* logarithm) {
  if (logarithm == nullptr)
    launch(backend, {count, 1}, Determinants<T, Pivot, false>{factors, pivots, step, order, out, logarithm});
  else launch(backend, {count, 1}, Determinants<T, Pivot, true>{factors, pivots, step, order, out, logarithm});
}
template <class T>
void divide_by_singular_values(const Backend& backend, const T* s, std::int64_t values, std::int64_t count, T* c,
                               std::int64_t columns, double tolerance, std::int64_t* rank) {
  launch(backend, {count, 1}, DivideBySingularValues<T>{s, values, c, columns, static_cast<T>(tolerance), rank});
}

#if !defined(SITU_CUDA_EMULATED)
extern template void find_permutations(const Backend&, const std::int32_t*, std::int64_t, std::int64_t, std::int64_t,
                                       std::int64_t, std::int64_t*);
extern template void find_permutations(const Backend&, const std::int64_t*, std::int64_t, std::int64_t, std::int64_t,
                                       std::int64_t, std::int64_t*);
extern template void permute_rows(const Backend&, const std::int64_t*, std::int64_t, const program::Matrices<float>&,
                                  float*);
extern template void permute_rows(const Backend&, const std::int64_t*, std::int64_t, const program::Matrices<double>&,
                                  double*);
extern template void copy_triangle(const Backend&, const program::Matrices<float>&, Triangle, bool, float*);
extern template void copy_triangle(const Backend&, const program::Matrices<double>&, Triangle, bool, double*);
extern template void determinants_of_factors(const Backend&, const float*, const std::int32_t*, std::int64_t,
                                             std::int64_t, std::int64_t, float*, float*);
extern template void determinants_of_factors(const Backend&, const float*, const std::int64_t*, std::int64_t,
                                             std::int64_t, std::int64_t, float*, float*);
extern template void determinants_of_factors(const Backend&, const double*, const std::int32_t*, std::int64_t,
                                             std::int64_t, std::int64_t, double*, double*);
extern template void determinants_of_factors(const Backend&, const double*, const std::int64_t*, std::int64_t,
                                             std::int64_t, std::int64_t, double*, double*);
extern template void divide_by_singular_values(const Backend&, const float*, std::int64_t, std::int64_t, float*,
                                               std::int64_t, double, std::int64_t*);
extern template void divide_by_singular_values(const Backend&, const double*, std::int64_t, std::int64_t, double*,
                                               std::int64_t, double, std::int64_t*);
#endif

/// Copies of matrices, their first elements `batch` elements apart, or one after another, column-major or row-major.
template <class T>
void copy_matrices(const Backend& backend, const program::Matrices<T>& a, std::int64_t row, std::int64_t column, T* out,
                   std::int64_t batch) {
  constexpr int size = static_cast<int>(sizeof(T));
  copy_elements(backend, program::Operand{a.data, size, {a.batch, a.row, a.column}},
                program::Destination{out, size, {a.count, a.rows, a.columns}, {batch, row, column}});
}
template <class T>
void copy_by_columns(const Backend& backend, const program::Matrices<T>& a, T* out) {
  copy_matrices(backend, a, 1, a.rows, out, a.rows * a.columns);
}
template <class T>
void copy_by_rows(const Backend& backend, const program::Matrices<T>& a, T* out) {
  copy_matrices(backend, a, a.columns, 1, out, a.rows * a.columns);
}

/// Column-major matrices, `batch` elements apart.
template <class T>
[[nodiscard]] program::Matrices<T> by_columns(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                                              std::int64_t count, std::int64_t batch) {
  return {count, rows, columns, data, 1, ld, batch};
}

}  // namespace situ::internal::cuda::detail

#endif
