// SPDX-License-Identifier: Apache-2.0
// Rows of adjacent elements in the registers of a block: each is read once, processed, and written. For softmax and
// layer normalization of rows that fit.
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

// How the values of a row's threads are merged, and the neutral value.
struct MergeSum {
  template <class C>
  static constexpr C nothing = C(0);
  template <class C>
  SITU_DEVICE static void merge(C& a, C b) {
    a += b;
  }
};
/// The largest, ignoring NaN, which the sum detects.
struct MergeMax {
  template <class C>
  static constexpr C nothing = -std::numeric_limits<C>::infinity();
  template <class C>
  SITU_DEVICE static void merge(C& a, C b) {
    if constexpr (is_kernel_float<C>) a = ::fmaxf(b, a);  // one instruction
    else a = lane::max_number(b, a);
  }
};

/// The number of vectors of a row that a thread holds: all are loaded together, and must leave registers for enough
/// threads to hide the latency. Single elements need more registers for their addresses.
template <class C, int V>
inline constexpr int held_vectors = (V == 1 ? 64 : 128) / static_cast<int>(sizeof(C)) / V;

/// The elements of a row that one thread holds, in their compute type: `Vectors` vectors of `V`. The threads of a warp,
/// or of a part of one, hold adjacent vectors of the row. A row has whole warps (`Warps`) or a part of one, a power of
/// two.
template <class T, int V, int Vectors, bool Warps>
class HeldRow {
 public:
  using C = compute_t<T>;

  /// `thread` is the position among the `width` threads of a row.
  SITU_DEVICE HeldRow(int length, int width, int thread)
      : length_(length),
        width_(width),
        step_(side() * V),
        first_((Warps ? (thread >> 5) * (kernel::warp_size * Vectors) + (thread & 31) : thread) * V) {}

  /// Beyond the last vector of the row, reads that one again: no load depends on a condition, so none waits for
  /// another. (For a conditional load, ptxas emits a load and a select, which waits for it before the next load
  /// begins.)
  SITU_DEVICE void read(const T* row) {
    kernel::Vector<T, V> loaded[std::size_t{Vectors}];
    unrolled<Vectors>([&](int k) {
      const int at = inside(k) ? column(k) : length_ - V;
      loaded[k] = *reinterpret_cast<const kernel::Vector<T, V>*>(row + at);
    });
    each([&](int k, int e) { x_[k * V + e] = static_cast<C>(loaded[k].element[e]); });
  }
  SITU_DEVICE void write(T* row) const {
    unrolled<Vectors>([&](int k) {
      kernel::Vector<T, V> vector;
      unrolled<V>([&](int e) { vector.element[e] = kernel::stored<T>(x_[k * V + e]); });
      if (inside(k)) *reinterpret_cast<kernel::Vector<T, V>*>(row + column(k)) = vector;
    });
  }

  // The row interface of formula/softmax.hpp. All threads of a row call together; no padding is needed: elements beyond
  // the end are left out of sums.
  [[nodiscard]] SITU_DEVICE static C exp(C x) { return math::exp(x); }
  [[nodiscard]] SITU_DEVICE static C log(C x) { return math::log(x); }

  template <class F>
  [[nodiscard]] SITU_DEVICE C sum(const F& f, C) const {
    C total = 0;
    each([&](int k, int e) {
      const C term = f(x_[k * V + e]);
      total += inside(k) ? term : C(0);
    });
    return together<MergeSum>(total);
  }
  template <class F>
  [[nodiscard]] SITU_DEVICE C mean(const F& f, C zero) const {
    return sum(f, zero) / static_cast<C>(length_);
  }
  template <class F>
  [[nodiscard]] SITU_DEVICE C replace(const F& f, C zero) {
    finish(f);
    return sum([](C x) { return x; }, zero);
  }
  template <class F>
  SITU_DEVICE void finish(const F& f) {
    each([&](int k, int e) { x_[k * V + e] = f(x_[k * V + e]); });
  }
  template <class F>
  SITU_DEVICE void finish(const F& f, const T* weight, const T* bias) {
    finish(f);
    if (weight != nullptr) with_columns(weight, [](C& x, C w) { x *= w; });
    if (bias != nullptr) with_columns(bias, [](C& x, C b) { x += b; });
  }
  [[nodiscard]] SITU_DEVICE C largest() const {
    C most = -std::numeric_limits<C>::infinity();
    each([&](int k, int e) { MergeMax::merge(most, x_[k * V + e]); });  // the last vector may occur twice
    return together<MergeMax>(most);
  }

 private:
  [[nodiscard]] SITU_DEVICE int side() const { return Warps ? kernel::warp_size : width_; }
  [[nodiscard]] SITU_DEVICE int column(int k) const { return first_ + k * step_; }
  [[nodiscard]] SITU_DEVICE bool inside(int k) const { return column(k) < length_; }

  /// Calls `f(vector, element)`.
  template <class F>
  SITU_DEVICE static void each(const F& f) {
    unrolled<Vectors>([&](int k) { unrolled<V>([&](int e) { f(k, e); }); });
  }
  /// Calls `f(x, value)` with every element and the value of its column.
  template <class F>
  SITU_DEVICE void with_columns(const T* values, const F& f) {
    HeldRow other(length_, width_, 0);
    other.first_ = first_;
    other.read(values);
    each([&](int k, int e) { f(x_[k * V + e], other.x_[k * V + e]); });
  }

  template <class Merge>
  SITU_DEVICE C together(C value) const {
    merge_lanes_to_all<Merge>(value, side());
    if (Warps && width_ > kernel::warp_size)
      merge_warps_to_all<Merge>(value, width_ / kernel::warp_size, Merge::template nothing<C>);
    return value;
  }

  int length_;
  int width_;
  int step_;
  int first_;
  C x_[std::size_t{Vectors * V}]{};
};

/// `operation(row)` on rows that fit in registers: several rows in a block if a warp or less holds one.
template <class T, class Operation, int V, int Vectors, bool Warps, int Threads>
struct MapHeldRows {
  static constexpr int threads = Threads;  // at most
  static constexpr const char* name = Operation::name;

  const T* in;
  T* out;
  std::int64_t rows;
  std::int64_t stride;  // of `in`
  int length;
  int width;       // threads for a row
  int shift;       // its logarithm if that is at most 5
  int each_block;  // rows
  Operation operation;

  SITU_DEVICE void operator()() const {
    const int place = width > kernel::warp_size ? 0 : kernel::thread() >> shift;
    const std::int64_t row = kernel::block() * each_block + place;
    HeldRow<T, V, Vectors, Warps> held(length, width, kernel::thread() - place * width);
    if (row < rows) held.read(in + row * stride);
    operation(held);  // threads without a row take part in the shuffles
    if (row < rows) held.write(out + row * length);
  }
};

/// Two numbers of a row from which, with an element, the result is computed.
template <class C>
struct RowStatistics {
  C shift;
  C scale;
};

/// out = operation(x, statistics of the row, column), for rows of any length: `Operation` is one for long rows.
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
      kernel::Vector<T, V> loaded[unroll];
      unrolled<unroll>([&](int u) {  // beyond the end, the first one again, which no other thread may be writing
        const std::int64_t at = i + u * step;
        loaded[u] = *reinterpret_cast<const kernel::Vector<T, V>*>(in + row * stride + (at < end ? at : i));
      });
      unrolled<unroll>([&](int u) {
        const std::int64_t at = i + u * step;
        if (at >= end) return;
        C x[std::size_t{V}];
        unrolled<V>([&](int e) { x[e] = static_cast<C>(loaded[u].element[e]); });
        operation.map(x, of_row, at);
        unrolled<V>([&](int e) { loaded[u].element[e] = kernel::stored<T>(x[e]); });
        *reinterpret_cast<kernel::Vector<T, V>*>(out + row * length + at) = loaded[u];
      });
    }
  }
};

}  // namespace situ::internal::cuda::detail

#endif
