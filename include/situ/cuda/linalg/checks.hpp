// SPDX-License-Identifier: Apache-2.0
// Checks of matrices before or after the solver. The results stay on the device; see outcome.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/linalg/matrix_kernels.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>
#include <situ/plan/linalg.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// The findings in a matrix; initially zeros. Positions count from the end, so that the first is the largest.
template <class T>
struct Findings {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Bits largest;              // magnitude in the lower triangle: the bits of non-negative floats have the same order
  std::int32_t not_finite;   // 1 if an element is not finite
  std::int64_t unsymmetric;  // the number of rows from the first that differs from its column
  std::int64_t pivot;        // the number of columns from the first pivot that is 0 or negligible
};

/// Finds the largest magnitudes and, in a second launch, rows that differ from their columns: a block for 32 rows.
template <class T, bool Compares>
struct CheckSymmetry {
  static constexpr int threads = 256;
  static constexpr const char* name = "check of symmetry";
  static constexpr std::int64_t block_rows = 32;
  program::Matrices<T> a;
  std::int64_t blocks_each;
  Findings<T>* found;

  /// Calls `f(i, j, element)` for the elements of this block in the lower triangle.
  template <class F>
  SITU_DEVICE void for_each(const T* from, const F& f) const {
    const std::int64_t first = kernel::block() % blocks_each * block_rows;
    const std::int64_t end = first + block_rows < a.rows ? first + block_rows : a.rows;
    for (std::int64_t i = first; i < end; ++i) {
      for (std::int64_t j = kernel::thread(); j <= i; j += threads) f(i, j, from[i * a.row + j * a.column]);
    }
  }

  SITU_DEVICE void operator()() const {
    const std::int64_t matrix = kernel::block() / blocks_each;
    const T* const from = a.data + matrix * a.batch;
    Findings<T>& mine = found[matrix];
    if constexpr (Compares) {
      const T allowed = symmetry_tolerance<T> * __builtin_bit_cast(T, mine.largest);
      for_each(from, [&](std::int64_t i, std::int64_t j, T lower) {
        const T apart = lower - from[j * a.row + i * a.column];
        if (apart > allowed || -apart > allowed) kernel::atomic_max(&mine.unsymmetric, a.rows - i);
      });
    } else {
      T largest = 0;
      for_each(from, [&](std::int64_t, std::int64_t, T lower) {
        const T magnitude = lower < 0 ? -lower : lower;
        if (magnitude > largest) largest = magnitude;
      });
      using Bits = typename Findings<T>::Bits;
      if (largest > 0) kernel::atomic_max(&mine.largest, __builtin_bit_cast(Bits, largest));
    }
  }
};

template <class T>
struct FindNotFinite {
  static constexpr int threads = 256;
  static constexpr const char* name = "elements that are not finite";
  program::Matrices<T> a;
  Findings<T>* found;

  SITU_DEVICE void operator()() const {
    const std::int64_t at = grid_thread<threads>();
    const std::int64_t each = a.rows * a.columns;
    if (at >= a.count * each) return;
    const std::int64_t matrix = at / each, row = at % each / a.columns, column = at % a.columns;
    const T x = a.data[matrix * a.batch + row * a.row + column * a.column];
    if (x - x != 0) kernel::atomic_max(&found[matrix].not_finite, std::int32_t{1});
  }
};

/// For triangular matrices.
template <class T>
struct FindZeroPivots {
  static constexpr int threads = 256;
  static constexpr const char* name = "zeros of a diagonal";
  program::Matrices<T> a;
  Findings<T>* found;

  SITU_DEVICE void operator()() const {
    const std::int64_t at = grid_thread<threads>();
    if (at >= a.count * a.columns) return;
    const std::int64_t matrix = at / a.columns, column = at % a.columns;
    if (a.data[matrix * a.batch + column * (a.row + a.column)] == 0)
      kernel::atomic_max(&found[matrix].pivot, a.columns - column);
  }
};

/// For factors R, finds |R_jj| of at most `tolerance` times the length of column j: a block for each column. Columns
/// are divided by their largest element first, so that squares do not overflow.
template <class T>
struct FindDependentColumns {
  static constexpr int threads = 64;
  static constexpr const char* name = "dependent columns";
  struct Part {
    T largest[std::size_t{threads}];
    T squares[std::size_t{threads}];
  };
  program::Matrices<T> r;
  T tolerance;
  Findings<T>* found;

  SITU_DEVICE void operator()() const {
    auto& part = kernel::block_shared<Part>();
    const std::int64_t matrix = kernel::block() / r.columns, column = kernel::block() % r.columns;
    const T* const from = r.data + matrix * r.batch + column * r.column;
    const int thread = kernel::thread();
    T largest = 0;
    for (std::int64_t i = thread; i <= column; i += threads) {
      const T magnitude = from[i * r.row] < 0 ? -from[i * r.row] : from[i * r.row];
      if (!(magnitude <= largest)) largest = magnitude;
    }
    part.largest[thread] = largest;
    kernel::barrier();
    for (int k = 0; k < threads; ++k) {
      if (!(part.largest[k] <= largest)) largest = part.largest[k];
    }
    T squares = 0;
    for (std::int64_t i = thread; i <= column && largest > 0; i += threads) {
      const T scaled = from[i * r.row] / largest;
      squares += scaled * scaled;
    }
    part.squares[thread] = squares;
    kernel::barrier();
    if (thread != 0) return;
    for (int k = 1; k < threads; ++k) squares += part.squares[k];
    const T pivot = largest > 0 ? from[column * r.row] / largest : T(0);
    if (largest == 0 || pivot * pivot <= tolerance * tolerance * squares)
      kernel::atomic_max(&found[matrix].pivot, r.columns - column);
  }
};

template <class T>
void check_symmetry(const Backend& backend, const program::Matrices<T>& a, Findings<T>* found) {
  constexpr std::int64_t block_rows = CheckSymmetry<T, false>::block_rows;
  const std::int64_t blocks = (a.rows + block_rows - 1) / block_rows;
  launch(backend, {a.count * blocks, 1}, CheckSymmetry<T, false>{a, blocks, found});
  launch(backend, {a.count * blocks, 1}, CheckSymmetry<T, true>{a, blocks, found});
}
template <class T>
void find_not_finite(const Backend& backend, const program::Matrices<T>& a, Findings<T>* found) {
  launch(backend, grid_over<FindNotFinite<T>>(a.count * a.rows * a.columns), FindNotFinite<T>{a, found});
}
template <class T>
void find_zero_pivots(const Backend& backend, const program::Matrices<T>& a, Findings<T>* found) {
  launch(backend, grid_over<FindZeroPivots<T>>(a.count * a.columns), FindZeroPivots<T>{a, found});
}
template <class T>
void find_dependent_columns(const Backend& backend, const program::Matrices<T>& r, T tolerance, Findings<T>* found) {
  launch(backend, {r.count * r.columns, 1}, FindDependentColumns<T>{r, tolerance, found});
}

#if !defined(SITU_CUDA_EMULATED)
extern template void check_symmetry(const Backend&, const program::Matrices<float>&, Findings<float>*);
extern template void check_symmetry(const Backend&, const program::Matrices<double>&, Findings<double>*);
extern template void find_not_finite(const Backend&, const program::Matrices<float>&, Findings<float>*);
extern template void find_not_finite(const Backend&, const program::Matrices<double>&, Findings<double>*);
extern template void find_zero_pivots(const Backend&, const program::Matrices<float>&, Findings<float>*);
extern template void find_zero_pivots(const Backend&, const program::Matrices<double>&, Findings<double>*);
extern template void find_dependent_columns(const Backend&, const program::Matrices<float>&, float, Findings<float>*);
extern template void find_dependent_columns(const Backend&, const program::Matrices<double>&, double,
                                            Findings<double>*);
#endif

/// Memory for elements.
template <class T>
class ScratchOf {
 public:
  ScratchOf(const Backend& backend, std::int64_t elements)
      : memory_(backend, static_cast<std::size_t>(elements) * sizeof(T)) {}
  [[nodiscard]] T* data() const noexcept { return memory_.as<T>(); }

 private:
  Scratch memory_;
};

/// The findings of a batch: nothing found yet.
template <class T>
class FindingsOf {
 public:
  FindingsOf(const Backend& backend, std::int64_t count) : memory_(backend, count) {
    const DeviceGuard guard(backend.stream->device->physical, backend.ordinal);
    check(api::set_bytes(memory_.data(), 0, static_cast<std::size_t>(count) * sizeof(Findings<T>), stream_of(backend)),
          "cudaMemsetAsync", backend.ordinal);
  }
  [[nodiscard]] Findings<T>* data() const noexcept { return memory_.data(); }

 private:
  ScratchOf<Findings<T>> memory_;
};

}  // namespace situ::internal::cuda::detail

#endif
