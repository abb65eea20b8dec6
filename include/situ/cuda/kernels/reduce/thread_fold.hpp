// SPDX-License-Identifier: Apache-2.0
// The driver of a fold in GPU threads: the `Partial` to which one thread adds elements, and the `State` that threads
// and blocks exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/lane.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/formula/fold.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// Combines `x[0 .. Size)` pairwise.
template <class Combine, class T, std::size_t Size>
constexpr T halved(Combine combine, const T (&x)[Size]) {
  T y[Size];
  for (std::size_t i = 0; i < Size; ++i) y[i] = x[i];
  for (std::size_t half = Size / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) y[i] = combine(y[i], y[i + half]);
  }
  return y[0];
}

/// The combiner of a fold.
template <class Fold>
struct Combine {
  template <class T>
  constexpr T operator()(T a, T b) const {
    return Fold::combine(a, b);
  }
};

}  // namespace detail

/// The driver of a fold of formula/fold.hpp:
///
///     start(partial)                  for no elements
///     add<Run>(partial, x, first, step)   Size elements in the order of their positions, from `first` on, in runs of
///                                     `Run` adjacent ones that are `step` apart
///     state(partial), merge(state, other), value(state)   the last is passed to the reduction's `finish`
template <class Fold>
struct ThreadFold {
  using Value = typename Fold::Value;
  using Block = typename Fold::Block;
  using Partial = typename Fold::Total;
  using State = Partial;

  SITU_DEVICE static void start(Partial& total) { total = static_cast<Partial>(Fold::identity); }
  template <int Run, std::size_t Size>
  SITU_DEVICE static void add(Partial& total, const Value (&x)[Size], std::int64_t, std::int64_t) {
    if constexpr (requires { Fold::accumulate(total, x[0]); }) {
      // Separate accumulators, so that the additions are independent.
      constexpr std::size_t chains = Size < 4 ? Size : 4;
      Block part[chains] = {};
      for (std::size_t i = 0; i < Size; ++i) part[i % chains] = Fold::accumulate(part[i % chains], x[i]);
      total = Fold::combine(total, static_cast<Partial>(detail::halved(detail::Combine<Fold>{}, part)));
    } else {
      Block block[Size];
      for (std::size_t i = 0; i < Size; ++i) block[i] = Fold::lift(x[i]);
      total = Fold::combine(total, static_cast<Partial>(detail::halved(detail::Combine<Fold>{}, block)));
    }
  }
  SITU_DEVICE static State state(const Partial& partial) { return partial; }
  SITU_DEVICE static void merge(State& state, const State& other) { state = Fold::combine(state, other); }
  SITU_DEVICE static State value(const State& state) { return state; }
};

/// The shift of a thread is its first element.
template <class T>
struct ThreadFold<fold::Moments<T>> {
  using Value = T;
  struct Partial {
    double count;
    double shift;
    double sum;
    double squares;
  };
  struct State : fold::Moments<T> {
    template <class F>
    SITU_DEVICE State map(F f) const {
      return {{f(this->count), f(this->mean), f(this->squares)}};
    }
  };

  SITU_DEVICE static void start(Partial& partial) { partial = {0, 0, 0, 0}; }
  template <int Run, std::size_t Size>
  SITU_DEVICE static void add(Partial& partial, const T (&x)[Size], std::int64_t, std::int64_t) {
    if (partial.count == 0) partial.shift = static_cast<double>(x[0]);
    using Sum = detail::Combine<fold::Sum<double>>;
    constexpr std::size_t chains = Size < 2 ? Size : 2;
    double sum[chains] = {};
    double squares[chains] = {};
    for (std::size_t i = 0; i < Size; ++i) {
      const double distance = static_cast<double>(x[i]) - partial.shift;
      sum[i % chains] += distance;
      squares[i % chains] = lane::fma(distance, distance, squares[i % chains]);
    }
    partial.sum += detail::halved(Sum{}, sum);
    partial.squares += detail::halved(Sum{}, squares);
    partial.count += static_cast<double>(Size);
  }
  SITU_DEVICE static State state(const Partial& partial) {
    if (partial.count == 0) return {};
    return {fold::Moments<T>::from_shifted(partial.count, partial.shift, partial.sum, partial.squares)};
  }
  SITU_DEVICE static void merge(State& state, const State& other) {
    if (other.count == 0) return;
    if (state.count == 0) state = other;
    else state.merge(other);
  }
  SITU_DEVICE static double value(const State& state) { return state.squares; }
};

/// The elements at hand are searched for the position only if one improves on the best so far, which soon becomes rare.
template <class Best>
struct ThreadFold<fold::Position<Best>> {
  using Value = typename Best::Value;
  struct State {
    Value best;
    std::int64_t position;
    template <class F>
    SITU_DEVICE State map(F f) const {
      return {f(best), f(position)};
    }
  };
  using Partial = State;

  /// Position 0 is right in the only case where it is used: if no element beats the worst possible one, all are equal.
  SITU_DEVICE static void start(Partial& partial) { partial = {Best::identity, 0}; }
  template <int Run, std::size_t Size>
  SITU_DEVICE static void add(Partial& partial, const Value (&x)[Size], std::int64_t first, std::int64_t step) {
    const Value best = detail::halved(detail::Combine<Best>{}, x);
    if (!Best::improves(best, partial.best)) return;
    std::int64_t position = 0;
    for (int i = int{Size} - 1; i >= 0; --i) {
      if (x[i] == best || (best != best && x[i] != x[i])) position = first + i / Run * step + i % Run;
    }
    partial = {best, position};
  }
  SITU_DEVICE static State state(const Partial& partial) { return partial; }
  SITU_DEVICE static void merge(State& state, const State& other) {
    const bool better = Best::improves(other.best, state.best);
    const bool equal = !better && !Best::improves(state.best, other.best);
    if (better || (equal && other.position < state.position)) state = other;
  }
  SITU_DEVICE static std::int64_t value(const State& state) { return state.position; }
};

}  // namespace situ::internal::cuda

#endif
