// SPDX-License-Identifier: Apache-2.0
// Logic on `bool`, bits of `bool` and integers. On lanes a `bool` is a mask.
#pragma once

#include <concepts>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::functional {

/// `a && b`; both sides are computed.
struct LogicalAnd {
  using lane_functor = void;
  static constexpr const char* name = "logical_and";
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool>;
  template <Element T>
  using result = bool;

  template <class V, class W>
  [[gnu::always_inline]] constexpr auto operator()(V a, W b) const {
    return a && b;
  }
};

/// `a || b`; both sides are computed.
struct LogicalOr {
  using lane_functor = void;
  static constexpr const char* name = "logical_or";
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool>;
  template <Element T>
  using result = bool;

  template <class V, class W>
  [[gnu::always_inline]] constexpr auto operator()(V a, W b) const {
    return a || b;
  }
};

/// `!x`.
struct LogicalNot {
  using lane_functor = void;
  static constexpr const char* name = "logical_not";
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool>;
  template <Element T>
  using result = bool;

  template <class V>
  [[gnu::always_inline]] constexpr auto operator()(V x) const {
    return !x;
  }
};

/// `a & b`.
struct BitAnd {
  using lane_functor = void;
  static constexpr const char* name = "bitwise_and";
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool> || IntegerElement<T>;
  template <Element T>
  using result = T;

  template <class V, class W>
  [[gnu::always_inline]] constexpr auto operator()(V a, W b) const {
    if constexpr (std::integral<V> && std::integral<W>) return static_cast<V>(a & b);
    else return a & b;
  }
};

/// `a | b`.
struct BitOr {
  using lane_functor = void;
  static constexpr const char* name = "bitwise_or";
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool> || IntegerElement<T>;
  template <Element T>
  using result = T;

  template <class V, class W>
  [[gnu::always_inline]] constexpr auto operator()(V a, W b) const {
    if constexpr (std::integral<V> && std::integral<W>) return static_cast<V>(a | b);
    else return a | b;
  }
};

/// `a ^ b`.
struct BitXor {
  using lane_functor = void;
  static constexpr const char* name = "bitwise_xor";
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool> || IntegerElement<T>;
  template <Element T>
  using result = T;

  template <class V, class W>
  [[gnu::always_inline]] constexpr auto operator()(V a, W b) const {
    if constexpr (std::integral<V> && std::integral<W>) return static_cast<V>(a ^ b);
    else return a ^ b;
  }
};

/// `~x`; on `bool`, `!x`.
struct BitNot {
  using lane_functor = void;
  static constexpr const char* name = "bitwise_invert";
  template <Element T>
  static constexpr bool accepts = std::same_as<T, bool> || IntegerElement<T>;
  template <Element T>
  using result = T;

  template <class V>
  [[gnu::always_inline]] constexpr auto operator()(V x) const {
    if constexpr (std::same_as<V, bool>) return !x;
    else if constexpr (std::integral<V>) return static_cast<V>(~x);
    else if constexpr (std::same_as<V, mask_t<V>>) return !x;
    else return ~x;
  }
};

}  // namespace situ::internal::functional
