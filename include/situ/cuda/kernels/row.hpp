// SPDX-License-Identifier: Apache-2.0
// Rows of adjacent elements in the registers of a block: each is read once, computed on, and written. What softmax and
// layer normalisation do with rows that fit.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/program.hpp>
#include <situ/cuda/kernels/reduce/group.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>

#if defined(SITU_CUDA)

#include <cmath>
#include <cstdint>
#include <limits>

namespace situ::internal::cuda::detail {

// The C library's functions of floats, which on a GPU are CUDA's, take a few instructions; those of doubles are calls
// with slow paths, and spill registers where the formulas of core/math do not.
SITU_DEVICE float row_exp(float x) { return ::expf(x); }
SITU_DEVICE double row_exp(double x) { return math::exp(x); }
SITU_DEVICE float row_log(float x) { return ::logf(x); }
SITU_DEVICE double row_log(double x) { return math::log(x); }

struct MergeSum {
  template <class C>
  SITU_DEVICE static void merge(C& a, C b) {
    a += b;
  }
};
/// The largest, NaN aside: that comes back with the sum.
struct MergeMax {
  template <class C>
  SITU_DEVICE static void merge(C& a, C b) {
    a = lane::max_number(b, a);
  }
};

/// The elements of a row that one thread holds, as the type they compute in: vectors of `V`, as many apart as there are
/// threads for a row.
template <class T, int V, int Items, int Threads>
class HeldRow {
 public:
  using C = compute_t<T>;
  static constexpr int vectors = Items / V;

  SITU_DEVICE HeldRow(std::int64_t length, int width)
      : width_(width), lane_(kernel::thread() & (width - 1)), length_(static_cast<int>(length)) {}

  [[nodiscard]] SITU_DEVICE int length() const { return length_; }

  SITU_DEVICE void read(const T* row) {
    kernel::Vector<T, V> loaded[std::size_t{vectors}]{};
    unrolled<vectors>([&](int k) {
      if (column(k) < length_) loaded[k] = *reinterpret_cast<const kernel::Vector<T, V>*>(row + column(k));
    });
    each([&](int k, int e) { x_[k * V + e] = static_cast<C>(loaded[k].element[e]); });
  }
  SITU_DEVICE void write(T* row) const {
    unrolled<vectors>([&](int k) {
      if (column(k) >= length_) return;
      kernel::Vector<T, V> vector;
      unrolled<V>([&](int e) { vector.element[e] = static_cast<T>(x_[k * V + e]); });
      *reinterpret_cast<kernel::Vector<T, V>*>(row + column(k)) = vector;
    });
  }

  // The row of formula/row.hpp. All threads of a row call together; nothing has to be filled up.
  [[nodiscard]] SITU_DEVICE static C exp(C x) { return row_exp(x); }
  [[nodiscard]] SITU_DEVICE static C log(C x) { return row_log(x); }

  template <class F>
  [[nodiscard]] SITU_DEVICE C sum(const F& f, C) const {
    C total = 0;
    each([&](int k, int e) { total += f(x_[k * V + e]); });
    return together<MergeSum>(total);
  }
  template <class F>
  [[nodiscard]] SITU_DEVICE C mean(const F& f, C zero) const {
    return sum(f, zero) / static_cast<C>(length_);
  }
  template <class F>
  [[nodiscard]] SITU_DEVICE C replace(const F& f, C) {
    finish(f);
    return sum([](C x) { return x; }, C(0));
  }
  template <class F>
  SITU_DEVICE void finish(const F& f) {
    each([&](int k, int e) { x_[k * V + e] = f(x_[k * V + e]); });
  }
  template <class F>
  SITU_DEVICE void finish(const F& f, const T* weight, const T* bias) {
    unrolled<vectors>([&](int k) {
      if (column(k) >= length_) return;
      C w[std::size_t{V}];
      C b[std::size_t{V}];
      parameters(weight, column(k), C(1), w);
      parameters(bias, column(k), C(0), b);
      unrolled<V>([&](int e) { x_[k * V + e] = f(x_[k * V + e]) * w[e] + b[e]; });
    });
  }
  [[nodiscard]] SITU_DEVICE C largest() const {
    C most = -std::numeric_limits<C>::infinity();
    each([&](int k, int e) { most = lane::max_number(x_[k * V + e], most); });
    return together<MergeMax>(most);
  }

  SITU_DEVICE static void parameters(const T* from, std::int64_t column, C otherwise, C (&values)[std::size_t{V}]) {
    if (from == nullptr) {
      unrolled<V>([&](int e) { values[e] = otherwise; });
      return;
    }
    const auto loaded = *reinterpret_cast<const kernel::Vector<T, V>*>(from + column);
    unrolled<V>([&](int e) { values[e] = static_cast<C>(loaded.element[e]); });
  }

 private:
  [[nodiscard]] SITU_DEVICE int column(int k) const { return (k * width_ + lane_) * V; }

  /// Calls `f(vector, element)` for those that are inside of the row.
  template <class F>
  SITU_DEVICE void each(const F& f) const {
    unrolled<vectors>([&](int k) {
      if (column(k) < length_) unrolled<V>([&](int e) { f(k, e); });
    });
  }

  template <class Merge>
  SITU_DEVICE C together(C value) const {
    if (Threads > 32 && width_ == Threads) merge_block_to_all<Merge, Threads>(value);
    else merge_lanes_to_all<Merge>(value, width_);
    return value;
  }

  int width_;  // threads for a row: a power of two up to 32, or all of the block
  int lane_;
  int length_;
  C x_[std::size_t{Items}]{};
};

/// How many elements a thread holds. One by one they need more registers for their places.
template <class C, int V>
inline constexpr int held_items = (V == 1 ? 64 : 128) / static_cast<int>(sizeof(C));

/// `operation(row)` on rows that fit in registers.
template <class T, class Operation, int V, int Threads>
struct MapHeldRows {
  static constexpr int threads = Threads;
  static constexpr const char* name = Operation::name;
  static constexpr int items = held_items<compute_t<T>, V>;
  static_assert(items % V == 0);

  const T* in;
  T* out;
  std::int64_t rows;
  std::int64_t length;
  std::int64_t stride;  // of `in`
  int width;
  Operation operation;

  SITU_DEVICE void operator()() const {
    const std::int64_t row = kernel::block() * (threads / width) + kernel::thread() / width;
    const bool inside = row < rows;  // threads that have no row go along, for the shuffles
    HeldRow<T, V, items, threads> held(inside ? length : 0, width);
    held.read(in + row * stride);
    operation(held);
    held.write(out + row * length);
  }
};

/// Two numbers of a row, which with an element give the result.
template <class C>
struct RowStatistics {
  C shift;
  C scale;
};

/// out = operation(x, statistics of the row, column), for rows of any length: `Operation` is that of a long row.
template <class T, class Operation, int V>
struct MapLongRows {
  using C = compute_t<T>;
  static constexpr int threads = 256;
  static constexpr const char* name = Operation::name;
  static constexpr int unroll = 4;

  const T* in;
  T* out;
  std::int64_t length;
  std::int64_t stride;
  int parts;
  std::int64_t part;  // elements of a row that a block takes, a multiple of V
  const RowStatistics<C>* statistics;
  Operation operation;

  SITU_DEVICE void operator()() const {
    const std::int64_t row = kernel::block() / parts;
    const std::int64_t begin = (kernel::block() - row * parts) * part;
    const std::int64_t end = begin + part < length ? begin + part : length;
    const RowStatistics<C> of_row = statistics[row];
    constexpr std::int64_t step = std::int64_t{threads} * V;
    for (std::int64_t i = begin + kernel::thread() * V; i < end; i += unroll * step) {
      kernel::Vector<T, V> loaded[unroll]{};
      unrolled<unroll>([&](int u) {
        const std::int64_t at = i + u * step;
        if (at < end) loaded[u] = *reinterpret_cast<const kernel::Vector<T, V>*>(in + row * stride + at);
      });
      unrolled<unroll>([&](int u) {
        const std::int64_t at = i + u * step;
        if (at >= end) return;
        C x[std::size_t{V}];
        unrolled<V>([&](int e) { x[e] = static_cast<C>(loaded[u].element[e]); });
        operation.map(x, of_row, at);
        unrolled<V>([&](int e) { loaded[u].element[e] = static_cast<T>(x[e]); });
        *reinterpret_cast<kernel::Vector<T, V>*>(out + row * length + at) = loaded[u];
      });
    }
  }
};

}  // namespace situ::internal::cuda::detail

#endif
