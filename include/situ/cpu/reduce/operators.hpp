// SPDX-License-Identifier: Apache-2.0
// What is combined with what: the associative operations behind sums, products, extrema, any and all.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/lanes.hpp>

namespace situ::internal::cpu {

// A fold says for elements `T`: the type `Block` in which the elements of a block are combined, the type `Total` of
// everything beyond, `lift` from elements to `Block`, `combine`, the identity, and an element that lifts to it.
namespace fold {

template <class T>
using sum_total_t = std::conditional_t<std::floating_point<T>, double, std::int64_t>;

/// Floats are added up in `float` within a block (32 to 128 in each lane), blocks in `double`. Bytes are added up in
/// 32 bits, which 16 Ki of them cannot overflow.
template <class T>
struct Sum {
  using Value = T;
  using Block =
      std::conditional_t<std::floating_point<T>, T, std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>>;
  using Total = sum_total_t<T>;
  static constexpr T padding = T(0);
  static constexpr Block block_identity = Block(0);
  static constexpr Total identity = Total(0);
  template <int N>
  [[gnu::always_inline]] static Lanes<Block, N> lift(Lanes<T, N> x) {
    return convert<Block>(x);
  }
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    using lane::add;
    return add(a, b);
  }
};

/// Squares in `double`: those of floats neither overflow nor vanish.
template <class T>
struct SumOfSquares : Sum<T> {
  using Block = double;
  static constexpr Block block_identity = 0;
  template <int N>
  [[gnu::always_inline]] static Lanes<double, N> lift(Lanes<T, N> x) {
    const Lanes<double, N> wide = convert<double>(x);
    return wide * wide;
  }
};

/// In `double`, so that a product of floats does not overflow on the way to a result that is in range.
template <class T>
struct Prod {
  using Value = T;
  using Block = sum_total_t<T>;
  using Total = Block;
  static constexpr T padding = T(1);
  static constexpr Block block_identity = Block(1);
  static constexpr Total identity = Total(1);
  template <int N>
  [[gnu::always_inline]] static Lanes<Block, N> lift(Lanes<T, N> x) {
    return convert<Block>(x);
  }
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    using lane::multiply;
    return multiply(a, b);
  }
};

template <class T>
inline constexpr T lowest =
    std::floating_point<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T highest =
    std::floating_point<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();

template <class T>
struct Same {
  using Value = T;
  using Block = T;
  using Total = T;
  template <int N>
  [[gnu::always_inline]] static Lanes<T, N> lift(Lanes<T, N> x) {
    return x;
  }
};

template <class T>
struct Max : Same<T> {
  static constexpr T identity = lowest<T>;
  static constexpr T block_identity = identity;
  static constexpr T padding = identity;
  /// `max_number` gives its second operand if either is NaN, so a NaN enters; one that is there already stays.
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    using lane::max_number;
    using lane::select;
    if constexpr (std::floating_point<T>) return select(a == a, max_number(a, b), a);
    else return max_number(a, b);
  }
  /// The same when `b` holds no NaN; one instruction.
  template <class V>
  [[gnu::always_inline]] static V combine_ordered(V a, V b) {
    using lane::max_number;
    return max_number(b, a);
  }
};

template <class T>
struct Min : Same<T> {
  static constexpr T identity = highest<T>;
  static constexpr T block_identity = identity;
  static constexpr T padding = identity;
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    using lane::min_number;
    using lane::select;
    if constexpr (std::floating_point<T>) return select(a == a, min_number(a, b), a);
    else return min_number(a, b);
  }
  /// The same when `b` holds no NaN; one instruction.
  template <class V>
  [[gnu::always_inline]] static V combine_ordered(V a, V b) {
    using lane::min_number;
    return min_number(b, a);
  }
};

/// Over bytes of 0 and 1.
template <class T>
struct Any : Same<T> {
  static constexpr T identity = T(0);
  static constexpr T block_identity = identity;
  static constexpr T padding = identity;
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return static_cast<V>(a | b);
  }
};
template <class T>
struct All : Same<T> {
  static constexpr T identity = T(1);
  static constexpr T block_identity = identity;
  static constexpr T padding = identity;
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return static_cast<V>(a & b);
  }
};

}  // namespace fold

}  // namespace situ::internal::cpu
