// SPDX-License-Identifier: Apache-2.0
// The folds of reductions, each written once for a scalar lane or a SIMD vector: how an element is lifted, and how
// values are combined. A backend drives them: on the CPU in blocks and chains of vectors, on a GPU in the registers of
// its threads.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::fold {

using namespace lane;

// A fold over elements `Value` defines
//   identity                an element that changes nothing
//   Block, lift(x)          the type that elements at hand are combined in, and an element in it
//   Total                   the type that everything beyond is combined in
//   combine(a, b)           of two `Block` or two `Total`; associative except for rounding
// and optionally
//   combine_ordered(a, b)   the same when `b` holds no NaN, in one instruction
//   accumulate(a, x)        combine(a, lift(x)) with one rounding

/// The accumulator of sums and products beyond a handful of elements.
template <class T>
using total_t = std::conditional_t<std::floating_point<T>, double, std::int64_t>;

/// Floats are added in their own type while they are at hand (a block on the CPU, the registers of a GPU thread), and
/// from there in `double`. Bytes are added in 32 bits, which 16 Ki of them cannot overflow.
template <class T>
struct Sum {
  using Value = T;
  using Block =
      std::conditional_t<std::floating_point<T>, T, std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>>;
  using Total = total_t<T>;
  static constexpr T identity = T(0);
  template <class V>
  [[SITU_INLINE]] static constexpr auto lift(V x) {
    return convert<Block>(x);
  }
  template <class V>
  [[SITU_INLINE]] static constexpr V combine(V a, V b) {
    return add(a, b);
  }
};

/// Squares in `double`: those of floats neither overflow nor underflow.
template <class T>
struct SumOfSquares : Sum<T> {
  using Block = double;
  template <class V>
  [[SITU_INLINE]] static constexpr auto lift(V x) {
    const auto wide = convert<double>(x);
    return wide * wide;
  }
  template <class V>
  [[SITU_INLINE]] static constexpr auto accumulate(rebind_lane_t<V, double> sum, V x) {
    const auto wide = convert<double>(x);
    return fma(wide, wide, sum);
  }
};

/// In `double`, so that a product of floats does not overflow on the way to a result that is in range.
template <class T>
struct Prod {
  using Value = T;
  using Block = total_t<T>;
  using Total = Block;
  static constexpr T identity = T(1);
  template <class V>
  [[SITU_INLINE]] static constexpr auto lift(V x) {
    return convert<Block>(x);
  }
  template <class V>
  [[SITU_INLINE]] static constexpr V combine(V a, V b) {
    return multiply(a, b);
  }
};

template <class T>
struct Same {
  using Value = T;
  using Block = T;
  using Total = T;
  template <class V>
  [[SITU_INLINE]] static constexpr V lift(V x) {
    return x;
  }
};

/// The largest element (`Upwards`) or the smallest; NaN if there is one.
template <class T, bool Upwards>
struct Extremum : Same<T> {
  static constexpr T identity =
      std::floating_point<T> ? (Upwards ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity())
                             : (Upwards ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());

  /// `max_number` returns its second operand if either is NaN, so a new NaN is kept; the select keeps one that was
  /// there already.
  template <class V>
  [[SITU_INLINE]] static constexpr V combine(V a, V b) {
    if constexpr (std::floating_point<T>) return select(a == a, further(a, b), a);
    else return further(a, b);
  }
  template <class V>
  [[SITU_INLINE]] static constexpr V combine_ordered(V a, V b)
    requires(std::floating_point<T>)
  {
    return further(b, a);
  }

  /// Whether `x`, which comes later, replaces `best`: the first NaN stays, and of equal elements the first.
  template <class V>
  [[SITU_INLINE]] static constexpr mask_t<V> improves(V x, V best) {
    const mask_t<V> beyond = Upwards ? x > best : x < best;
    if constexpr (std::floating_point<T>) return static_cast<mask_t<V>>((beyond | (x != x)) & (best == best));
    else return beyond;
  }

 private:
  template <class V>
  [[SITU_INLINE]] static constexpr V further(V a, V b) {
    if constexpr (Upwards) return max_number(a, b);
    else return min_number(a, b);
  }
};
template <class T>
using Min = Extremum<T, false>;
template <class T>
using Max = Extremum<T, true>;

/// Over bytes of 0 and 1.
template <class T>
struct Any : Same<T> {
  static constexpr T identity = T(0);
  template <class V>
  [[SITU_INLINE]] static constexpr V combine(V a, V b) {
    return static_cast<V>(a | b);
  }
};
template <class T>
struct All : Same<T> {
  static constexpr T identity = T(1);
  template <class V>
  [[SITU_INLINE]] static constexpr V combine(V a, V b) {
    return static_cast<V>(a & b);
  }
};

/// The position of an extremum. The driver keeps the position beside `Extremum`.
template <class Best>
struct Position {
  using Value = typename Best::Value;
  using Extremum = Best;
};

/// The mean and the sum of squared distances to it, in one pass, in `double`, for `var` and `stddev`. A shift near the
/// elements is subtracted first, so that squares of large means do not cancel, and parts are merged by the formula of
/// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
template <class T>
struct Moments {
  using Value = T;
  double count = 0;
  double mean = 0;
  double squares = 0;

  /// For `count` elements, from the sums of their distances to `shift` and of the squares of these.
  static constexpr Moments from_shifted(double count, double shift, double sum, double squares) {
    return {count, shift + sum / count, squares - sum * (sum / count)};
  }

  /// Neither part may be empty.
  constexpr void merge(const Moments& other) {
    const double total = count + other.count;
    const double distance = other.mean - mean;
    mean += distance * (other.count / total);
    squares += other.squares + distance * distance * (count * other.count / total);
    count = total;
  }
};

}  // namespace situ::internal::fold
