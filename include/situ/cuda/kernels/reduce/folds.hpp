// SPDX-License-Identifier: Apache-2.0
// What a reduction accumulates: sums, products, extrema, moments, positions. A fold has the `Partial` that one thread
// adds elements to, and the `State` that threads and blocks hand on.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/plan/reduction.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

/// The type a reduction reads: what an expression over `T` computes in, with `bool` as bytes of 0 and 1.
template <Element T>
using reduced_t = typename std::conditional_t<std::same_as<T, bool>, std::type_identity<std::uint8_t>,
                                              std::type_identity<compute_t<T>>>::type;

// A fold over elements `T` says
//   start(partial)            of no elements;
//   add<Run>(partial, x, first, step)   N elements in the order of their positions, which begin at `first`, in runs of
//                             `Run` adjacent ones that are `step` apart;
//   state(partial), merge(state, other), value(state): what the reduction's `finish` gets.
namespace fold {

/// What sums and products are carried in beyond a handful of elements.
template <class T>
using total_t = std::conditional_t<std::floating_point<T>, double, std::int64_t>;

/// Combines `x[0 .. N)` by halves.
template <class Combine, class T, std::size_t N>
constexpr T halved(Combine combine, const T (&x)[N]) {
  T y[N];
  for (std::size_t i = 0; i < N; ++i) y[i] = x[i];
  for (std::size_t half = N / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) y[i] = combine(y[i], y[i + half]);
  }
  return y[0];
}

struct Add {
  template <class T>
  constexpr T operator()(T a, T b) const {
    return lane::add(a, b);
  }
};
struct Multiply {
  template <class T>
  constexpr T operator()(T a, T b) const {
    return lane::multiply(a, b);
  }
};
/// The larger (smaller) of two; a NaN stays and enters.
template <bool Upwards>
struct Extremum {
  template <class T>
  constexpr T operator()(T a, T b) const {
    const T best = Upwards ? lane::max_number(a, b) : lane::min_number(a, b);
    if constexpr (std::floating_point<T>) return a == a ? best : a;
    else return best;
  }
};

/// A fold whose state is a number. `Block` is what the elements that are at hand together are combined in.
template <class T, class Block, class Total, class Combine>
struct Number {
  using Value = T;
  using Partial = Total;
  using State = Total;

  template <int Run, std::size_t N>
  SITU_DEVICE static void add(Partial& total, const T (&x)[N], std::int64_t, std::int64_t) {
    Block block[N];
    for (std::size_t i = 0; i < N; ++i) block[i] = static_cast<Block>(x[i]);
    total = Combine{}(total, static_cast<Total>(halved(Combine{}, block)));
  }
  SITU_DEVICE static State state(const Partial& partial) { return partial; }
  SITU_DEVICE static void merge(State& state, const State& other) { state = Combine{}(state, other); }
  SITU_DEVICE static Total value(const State& state) { return state; }
};

/// Floats are added up in `float` while they are in registers, up to 32 of them, and from there in `double`: of the
/// slow operations of many GPUs two for each vector or so.
template <class T>
struct Sum : Number<T, std::conditional_t<std::integral<T> && sizeof(T) == 1, std::int32_t,
                                          std::conditional_t<std::integral<T>, std::int64_t, T>>,
                    total_t<T>, Add> {
  SITU_DEVICE static void start(total_t<T>& total) { total = 0; }
};

/// Products of floats overflow on the way to a result that is in range, so all are made in `double`.
template <class T>
struct Prod : Number<T, total_t<T>, total_t<T>, Multiply> {
  SITU_DEVICE static void start(total_t<T>& total) { total = 1; }
};

/// Squares in `double`: those of floats neither overflow nor vanish.
template <class T>
struct SumOfSquares : Number<T, double, double, Add> {
  SITU_DEVICE static void start(double& total) { total = 0; }
  template <int Run, std::size_t N>
  SITU_DEVICE static void add(double& total, const T (&x)[N], std::int64_t, std::int64_t) {
    // Sums of their own, for the additions not to wait for each other.
    constexpr std::size_t sums = N < 4 ? N : 4;
    double part[sums] = {};
    for (std::size_t i = 0; i < N; ++i) {
      const auto wide = static_cast<double>(x[i]);
      part[i % sums] = lane::fma(wide, wide, part[i % sums]);
    }
    total += halved(Add{}, part);
  }
};

template <class T, bool Upwards>
inline constexpr T worst = std::floating_point<T>
                               ? (Upwards ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity())
                               : (Upwards ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());

/// `min`, `max`; over bytes of 0 and 1 also `all`, `any`.
template <class T, bool Upwards>
struct Best : Number<T, T, T, Extremum<Upwards>> {
  SITU_DEVICE static void start(T& best) { best = worst<T, Upwards>; }
};

/// Mean and squared distances to it. A thread takes its elements from a shift near them, the first one, so that squares
/// of large means do not cancel; parts are merged by the formula of Chan, Golub and LeVeque (1979).
template <class T>
struct Moments {
  using Value = T;
  struct Partial {
    double count;
    double shift;
    double sum;
    double squares;
  };
  struct State {
    double count;
    double mean;
    double squares;
    template <class F>
    SITU_DEVICE State map(F f) const {
      return {f(count), f(mean), f(squares)};
    }
  };

  SITU_DEVICE static void start(Partial& partial) { partial = {0, 0, 0, 0}; }
  template <int Run, std::size_t N>
  SITU_DEVICE static void add(Partial& partial, const T (&x)[N], std::int64_t, std::int64_t) {
    if (partial.count == 0) partial.shift = static_cast<double>(x[0]);
    constexpr std::size_t sums = N < 2 ? N : 2;
    double sum[sums] = {};
    double squares[sums] = {};
    for (std::size_t i = 0; i < N; ++i) {
      const double distance = static_cast<double>(x[i]) - partial.shift;
      sum[i % sums] += distance;
      squares[i % sums] = lane::fma(distance, distance, squares[i % sums]);
    }
    partial.sum += halved(Add{}, sum);
    partial.squares += halved(Add{}, squares);
    partial.count += static_cast<double>(N);
  }
  SITU_DEVICE static State state(const Partial& partial) {
    if (partial.count == 0) return {0, 0, 0};
    const double mean = partial.sum / partial.count;
    return {partial.count, partial.shift + mean, partial.squares - partial.sum * mean};
  }
  SITU_DEVICE static void merge(State& state, const State& other) {
    const double total = state.count + other.count;
    if (total == 0) return;
    const double part = other.count / total;
    const double distance = other.count > 0 && state.count > 0 ? other.mean - state.mean : 0.0;
    state.mean = state.count > 0 ? state.mean + distance * part : other.mean;
    state.squares += other.squares + distance * distance * (state.count * part);
    state.count = total;
  }
  SITU_DEVICE static double value(const State& state) { return state.squares; }
};

/// Where the extremum is: the first NaN, of equal elements the first. The elements at hand are searched only when one
/// improves on those before, which soon is rare.
template <class T, bool Upwards>
struct Position {
  using Value = T;
  struct State {
    T best;
    std::int64_t position;
    template <class F>
    SITU_DEVICE State map(F f) const {
      return {f(best), f(position)};
    }
  };
  using Partial = State;

  /// Whether `x` beats `best`, wherever they are.
  SITU_DEVICE static bool improves(T x, T best) {
    if constexpr (std::floating_point<T>) {
      if (best != best) return false;
      if (x != x) return true;
    }
    return Upwards ? x > best : x < best;
  }

  /// Position 0 is right where it matters: when no element beats the worst there is, all are equal.
  SITU_DEVICE static void start(Partial& partial) { partial = {worst<T, Upwards>, 0}; }
  template <int Run, std::size_t N>
  SITU_DEVICE static void add(Partial& partial, const T (&x)[N], std::int64_t first, std::int64_t step) {
    const T best = halved(Extremum<Upwards>{}, x);
    if (!improves(best, partial.best)) return;
    std::int64_t position = 0;
    for (int i = int{N} - 1; i >= 0; --i) {
      if (x[i] == best || (best != best && x[i] != x[i])) position = first + i / Run * step + i % Run;
    }
    partial = {best, position};
  }
  SITU_DEVICE static State state(const Partial& partial) { return partial; }
  SITU_DEVICE static void merge(State& state, const State& other) {
    const bool better = improves(other.best, state.best);
    const bool equal = !better && !improves(state.best, other.best);
    if (better || (equal && other.position < state.position)) state = other;
  }
  SITU_DEVICE static std::int64_t value(const State& state) { return state.position; }
};

}  // namespace fold

namespace detail {

/// The fold of an operation over elements that are read as `T`.
template <class Operation, class T>
struct FoldOf;
template <class T>
struct FoldOf<reduction::Sum, T> : std::type_identity<fold::Sum<T>> {};
template <class T>
struct FoldOf<reduction::Mean, T> : std::type_identity<fold::Sum<T>> {};
template <class T>
struct FoldOf<reduction::Prod, T> : std::type_identity<fold::Prod<T>> {};
template <class T>
struct FoldOf<reduction::Norm2, T> : std::type_identity<fold::SumOfSquares<T>> {};
template <class T>
struct FoldOf<reduction::Variance, T> : std::type_identity<fold::Moments<T>> {};
template <class T>
struct FoldOf<reduction::StandardDeviation, T> : std::type_identity<fold::Moments<T>> {};
template <class T>
struct FoldOf<reduction::Min, T> : std::type_identity<fold::Best<T, false>> {};
template <class T>
struct FoldOf<reduction::Max, T> : std::type_identity<fold::Best<T, true>> {};
template <class T>
struct FoldOf<reduction::Any, T> : std::type_identity<fold::Best<T, true>> {};
template <class T>
struct FoldOf<reduction::All, T> : std::type_identity<fold::Best<T, false>> {};
template <class T>
struct FoldOf<reduction::ArgMin, T> : std::type_identity<fold::Position<T, false>> {};
template <class T>
struct FoldOf<reduction::ArgMax, T> : std::type_identity<fold::Position<T, true>> {};

template <class Operation>
inline constexpr bool asks_for_position =
    std::same_as<Operation, reduction::ArgMin> || std::same_as<Operation, reduction::ArgMax>;

}  // namespace detail

}  // namespace situ::internal::cuda

#endif
