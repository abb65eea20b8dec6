// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, logsumexp, layer normalization and cross_entropy along rows on GPUs. A row that fits in the
// registers of a block is read once and written once, by one launch; a longer one is read twice.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/kernels/online_softmax.hpp>
#include <situ/cuda/kernels/reduce/reduce.hpp>
#include <situ/cuda/kernels/softmax_in_registers.hpp>
#include <situ/formula/softmax.hpp>
#include <situ/plan/softmax.hpp>

#if defined(SITU_CUDA)

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <situ/cuda/runtime/fault.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>

namespace situ::internal::cuda {

namespace detail {

/// Reduces short and long rows as reduce.hpp does, to the given target.
template <int V, class Fold, class T, class Target>
void launch_row_fold(const Backend& backend, const program::Rows& rows, const T* in, const Target& target) {
  using Program = program::Leaf<T, 0>;
  program::Operand operand{in, sizeof(T), {}};
  operand.strides[0] = rows.stride;
  operand.strides[1] = 1;
  const std::span<const program::Operand> operands(&operand, 1);
  const OperandLayout layout(operands, rows.length == 0 ? Shape{} : Shape{rows.rows, rows.length});
  launch_rows<V, Fold>(backend, StridedSource<Program>(Program{}, operands, layout), target, rows.rows);
}
template <class Fold, class T, class Target>
void fold_rows(const Backend& backend, const program::Rows& rows, const T* in, const Target& target) {
  if (rows.rows == 0) return;
  constexpr int vector = 16 / static_cast<int>(sizeof(T));
  // Adjacent rows may have any length: threads read the vectors, and a few threads the elements before and after them.
  const bool whole = rows.length % vector == 0 && rows.stride % vector == 0;
  const bool adjacent = rows.stride == rows.length && rows.length >= 64 * vector;
  if (is_aligned_for(in, sizeof(T), vector) && (whole || adjacent))
    launch_row_fold<vector, Fold>(backend, rows, in, target);
  else launch_row_fold<1, Fold>(backend, rows, in, target);
}

/// The threads in a block of held rows, unless one row takes more.
inline constexpr int held_threads = 256;

template <int V, int Vectors, bool Warps, int Threads, class T, class Operation>
void map_held_rows(const Backend& backend, const program::Rows& rows, const T* in, T* out, const Operation& operation) {
  using Kernel = MapHeldRows<T, Operation, V, Vectors, Warps, Threads>;
  const int vectors = static_cast<int>(rows.length) / V;
  int width = 1;
  int shift = 0;
  if constexpr (Warps) {
    constexpr int run = kernel::warp_size * Vectors;
    width = (vectors + run - 1) / run * kernel::warp_size;
    shift = 5;
  } else {
    while (width * Vectors < vectors) width = 1 << ++shift;
  }
  int threads = width > kernel::warp_size ? width : held_threads;
  // Spread few rows over all multiprocessors.
  while (threads >= 2 * std::max(width, kernel::warp_size) &&
         blocks_of(rows.rows, threads / width) < multiprocessors(backend)) {
    threads /= 2;
  }
  const int each_block = threads / width;
  launch(backend, Grid{blocks_of(rows.rows, each_block), 1, threads},
         Kernel{in, out, rows.rows, rows.stride, static_cast<int>(rows.length), width, shift, each_block, operation});
}

template <int V, class T, class Operation>
void map_long_rows(const Backend& backend, const program::Rows& rows, const T* in, T* out, const Operation& operation) {
  using C = compute_t<T>;
  using Long = LongRow<Operation, C>;
  using Kernel = MapLongRows<T, Long, V>;
  const Scratch statistics(backend, static_cast<std::size_t>(rows.rows) * sizeof(RowStatistics<C>));
  const Long of_long_row{operation};
  const StatisticsTarget<Long, C> target{of_long_row, rows.length, 1.0 / static_cast<double>(rows.length),
                                         statistics.as<RowStatistics<C>>()};
  fold_rows<WholeState<typename Long::Fold>>(backend, rows, in, target);
  const std::int64_t part = std::int64_t{Kernel::threads} * Kernel::unroll * V;
  const std::int64_t parts = blocks_of(rows.length, part);
  launch(backend, Grid{rows.rows * parts},
         Kernel{in, out, rows.length, rows.stride, static_cast<int>(parts), part, target.out, of_long_row});
}

/// The most threads that hold a row. With more, layer normalization and operations in `double` would have too few
/// registers.
template <class Operation, class C>
inline constexpr int most_threads = sizeof(C) == 8 ? 512 : 1024;
template <class T, class C>
inline constexpr int most_threads<row::LayerNorm<T>, C> = 512;

/// For rows whose elements are moved `V` at a time.
template <int V, class T, class Operation>
void map_vector_rows(const Backend& backend, const program::Rows& rows, const T* in, T* out,
                     const Operation& operation) {
  using C = compute_t<T>;
  constexpr int few = 2;  // vectors of a thread if rows are short
  constexpr int many = held_vectors<C, V>;
  constexpr int most = most_threads<Operation, C>;
  constexpr std::int64_t by_few = kernel::warp_size * few * V;
  constexpr std::int64_t by_half_warp = kernel::warp_size / 2 * many * V;
  if (rows.length <= by_few) return map_held_rows<V, few, false, held_threads>(backend, rows, in, out, operation);
  if constexpr (by_half_warp > by_few) {
    if (rows.length <= by_half_warp)
      return map_held_rows<V, many, false, held_threads>(backend, rows, in, out, operation);
  }
  if (rows.length <= most * many * V) return map_held_rows<V, many, true, most>(backend, rows, in, out, operation);
  map_long_rows<V>(backend, rows, in, out, operation);
}

/// `vectors`: rows, and the other operands of the operation, are aligned for vectors.
template <class T, class Operation>
void map_rows(const Backend& backend, const program::Rows& rows, const T* in, T* out, const Operation& operation,
              bool vectors = true) {
  if (rows.rows == 0 || rows.length == 0) return;
  constexpr int vector = 16 / static_cast<int>(sizeof(T));
  vectors = vectors && rows.length % vector == 0 && rows.stride % vector == 0 &&
            is_aligned_for(in, sizeof(T), vector) && is_aligned_for(out, sizeof(T), vector);
  if (vectors) map_vector_rows<vector>(backend, rows, in, out, operation);
  else map_vector_rows<1>(backend, rows, in, out, operation);
}

}  // namespace detail

template <FloatingElement T>
void softmax_along_rows(const Backend& backend, const program::Rows& rows, const T* in, T* out) {
  detail::map_rows(backend, rows, in, out, row::Softmax{});
}

template <FloatingElement T>
void log_softmax_along_rows(const Backend& backend, const program::Rows& rows, const T* in, T* out) {
  detail::map_rows(backend, rows, in, out, row::LogSoftmax{});
}

template <FloatingElement T>
void logsumexp_along_rows(const Backend& backend, const program::Rows& rows, const T* in, T* out) {
  using Target = detail::LogSumExpTarget<T>;
  detail::fold_rows<typename Target::Fold>(backend, rows, in, Target{rows.length, out});
}

/// `weight` and `bias` have as many elements as a row, adjacent.
template <FloatingElement T>
void layer_norm_along_rows(const Backend& backend, const program::Rows& rows, const T* in, double epsilon,
                           const T* weight, const T* bias, T* out) {
  constexpr int vector = 16 / static_cast<int>(sizeof(T));
  const bool vectors = is_aligned_for(weight, sizeof(T), vector) && is_aligned_for(bias, sizeof(T), vector);
  detail::map_rows(backend, rows, in, out, row::LayerNorm<T>{static_cast<compute_t<T>>(epsilon), weight, bias},
                   vectors);
}

/// The negative logarithm of the softmax of each row at its label. An invalid label yields NaN, and an `IndexError` at
/// the next transfer to the host or `synchronize`.
template <FloatingElement T>
void cross_entropy_along_rows(const Backend& backend, const program::Rows& rows, const T* in,
                              const std::int64_t* labels, T* out) {
  using Target = detail::CrossEntropyTarget<T>;
  detail::fold_rows<typename Target::Fold>(backend, rows, in,
                                           Target{rows.length, out, in, rows.stride, labels, fault_of(backend)});
}

}  // namespace situ::internal::cuda

#endif
