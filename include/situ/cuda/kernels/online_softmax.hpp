// SPDX-License-Identifier: Apache-2.0
// The softmax family on rows that do not fit in a block's registers: one pass computes the sums (online softmax:
// Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018), a second one the elements. logsumexp and
// cross_entropy need only the first, and use it for rows of any length.
#pragma once

#include <situ/cuda/kernels/reduce/thread_fold.hpp>
#include <situ/cuda/kernels/softmax_in_registers.hpp>
#include <situ/cuda/runtime/fault.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/softmax.hpp>

#if defined(SITU_CUDA)

#include <cstdint>
#include <limits>

namespace situ::internal::cuda {

namespace detail {

/// The largest element, ignoring NaN, and the sum of exp(x - largest), or of exp(x) if the largest is infinite.
template <class C>
struct ExpSum {
  using Value = C;
  struct State {
    C most;
    C sum;
    template <class F>
    SITU_DEVICE State map(F f) const {
      return {f(most), f(sum)};
    }
  };
  using Partial = State;
  static constexpr C infinity = std::numeric_limits<C>::infinity();

  SITU_DEVICE static void start(Partial& partial) { partial = {-infinity, C(0)}; }
  template <int Run, std::size_t Size>
  SITU_DEVICE static void add(Partial& partial, const C (&x)[Size], std::int64_t, std::int64_t) {
    const C most = halved(Larger{}, x);
    if (most > partial.most) {
      partial.sum *= factor(partial.most, most);
      partial.most = most;
    }
    const C from = row::shift_of(partial.most);
    C powers[Size];
    for (std::size_t i = 0; i < Size; ++i) powers[i] = math::exp(x[i] - from);
    partial.sum += halved(Combine<fold::Sum<C>>{}, powers);
  }
  SITU_DEVICE static State state(const Partial& partial) { return partial; }
  SITU_DEVICE static void merge(State& state, const State& other) {
    const C most = lane::max_number(state.most, other.most);
    state.sum = state.sum * factor(state.most, most) + other.sum * factor(other.most, most);
    state.most = most;
  }
  SITU_DEVICE static State value(const State& state) { return state; }

 private:
  struct Larger {
    SITU_DEVICE C operator()(C a, C b) const {  // NaN if both are
      return a > b || b != b ? a : b;
    }
  };
  /// The factor of a sum when its maximum changes from `before` to `most`. If all elements are minus infinity or NaN,
  /// the sum is 0 or NaN.
  SITU_DEVICE static C factor(C before, C most) {
    return before == most || before == -infinity ? C(1) : math::exp(row::shift_of(before) - row::shift_of(most));
  }
};

// An operation of formula/softmax.hpp on a long row: `Fold`, for the first pass; `statistics`, from its result;
// `map`, which computes a result from an element and the statistics.
template <class Operation, class C>
struct LongRow;

/// NaN if the largest element is infinite, since the distance to it is undefined.
template <class C, class State>
SITU_DEVICE RowStatistics<C> softmax_statistics(const State& state, C scale) {
  if (row::shift_of(state.most) != state.most) return {C(0), std::numeric_limits<C>::quiet_NaN()};
  return {state.most, scale};
}

template <class C>
struct LongRow<row::Softmax, C> : row::Softmax {
  using Fold = ExpSum<C>;

  SITU_DEVICE RowStatistics<C> statistics(const typename Fold::State& state, double) const {
    return softmax_statistics(state, C(1) / state.sum);
  }
  template <std::size_t V>
  SITU_DEVICE void map(C (&x)[V], const RowStatistics<C>& row, std::int64_t) const {
    unrolled<int{V}>([&](int e) { x[e] = math::exp(x[e] - row.shift) * row.scale; });
  }
};

template <class C>
struct LongRow<row::LogSoftmax, C> : row::LogSoftmax {
  using Fold = ExpSum<C>;

  SITU_DEVICE RowStatistics<C> statistics(const typename Fold::State& state, double) const {
    return softmax_statistics(state, math::log(state.sum));
  }
  template <std::size_t V>
  SITU_DEVICE void map(C (&x)[V], const RowStatistics<C>& row, std::int64_t) const {
    unrolled<int{V}>([&](int e) { x[e] = (x[e] - row.shift) - row.scale; });
  }
};

/// The values of adjacent columns, or `otherwise` for each if the pointer is null.
template <class T, class C, std::size_t V>
SITU_DEVICE void read_columns(const T* from, std::int64_t column, C otherwise, C (&values)[V]) {
  if (from == nullptr) {
    unrolled<int{V}>([&](int e) { values[e] = otherwise; });
  } else {
    const auto loaded = *reinterpret_cast<const kernel::Vector<T, int{V}>*>(from + column);
    unrolled<int{V}>([&](int e) { values[e] = static_cast<C>(loaded.element[e]); });
  }
}

/// The variance of a row in registers is the mean of squared distances to the mean; that of longer rows is accumulated
/// in `double`.
template <class T, class C>
struct LongRow<row::LayerNorm<T>, C> : row::LayerNorm<T> {
  using Fold = ThreadFold<fold::Moments<C>>;

  SITU_DEVICE RowStatistics<C> statistics(const typename Fold::State& state, double inverse_length) const {
    return {static_cast<C>(state.mean), this->factor(static_cast<C>(state.squares * inverse_length))};
  }
  template <std::size_t V>
  SITU_DEVICE void map(C (&x)[V], const RowStatistics<C>& row, std::int64_t column) const {
    C w[V];
    C b[V];
    read_columns(this->weight, column, C(1), w);
    read_columns(this->bias, column, C(0), b);
    unrolled<int{V}>([&](int e) { x[e] = (x[e] - row.shift) * row.scale * w[e] + b[e]; });
  }
};

/// The target for the statistics of long rows.
template <class Operation, class C>
struct StatisticsTarget {
  Operation operation;
  std::int64_t count;
  double inverse_count;
  RowStatistics<C>* out;

  template <class State>
  SITU_DEVICE void write(std::int64_t row, const State& state) const {
    out[row] = operation.statistics(state, inverse_count);
  }
};
/// The moments including the mean; `Moments` alone finishes to the squares only.
template <class Fold>
struct WholeState : Fold {
  SITU_DEVICE static typename Fold::State value(const typename Fold::State& state) { return state; }
};

/// log(sum of exp(x)) of each row.
template <class T>
struct LogSumExpTarget {
  using C = compute_t<T>;
  using Fold = ExpSum<C>;
  std::int64_t count;
  T* out;

  SITU_DEVICE void write(std::int64_t row, const typename Fold::State& state) const {
    out[row] = kernel::stored<T>(math::log(state.sum) + row::shift_of(state.most));
  }
};

/// The negative logarithm of the softmax of each row at its label; NaN, and a report, for an invalid label.
template <class T>
struct CrossEntropyTarget {
  using C = compute_t<T>;
  using Fold = ExpSum<C>;
  std::int64_t count;
  T* out;
  const T* in;
  std::int64_t stride;
  const std::int64_t* labels;
  Fault* fault;

  SITU_DEVICE void write(std::int64_t row, const typename Fold::State& state) const {
    const std::int64_t label = labels[row];
    if (label < 0 || label >= count) {
      report_index(fault, IndexedOperation::cross_entropy, label, 1, count, row);
      out[row] = kernel::chosen<T>(std::numeric_limits<C>::quiet_NaN());
      return;
    }
    // From the distance to the largest, as in `row::CrossEntropy`; NaN if the largest is infinite.
    const RowStatistics<C> of_row = softmax_statistics(state, math::log(state.sum));
    out[row] = kernel::stored<T>(of_row.scale - (static_cast<C>(in[row * stride + label]) - of_row.shift));
  }
};

}  // namespace detail

}  // namespace situ::internal::cuda

#endif
