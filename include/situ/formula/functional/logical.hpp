// SPDX-License-Identifier: Apache-2.0
// Logic on `bool`, bits of `bool` and integers. On lanes a `bool` is a mask.
#pragma once

#include <concepts>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/functor.hpp>

namespace situ::internal::functional {

/// `a && b`; both sides are computed.
struct LogicalAnd : OfConditions<LogicalAnd> {
  static constexpr const char* name = "logical_and";

  template <class V, class W>
  [[SITU_INLINE]] constexpr auto operator()(V a, W b) const {
    return a && b;
  }
};

/// `a || b`; both sides are computed.
struct LogicalOr : OfConditions<LogicalOr> {
  static constexpr const char* name = "logical_or";

  template <class V, class W>
  [[SITU_INLINE]] constexpr auto operator()(V a, W b) const {
    return a || b;
  }
};

/// `!x`.
struct LogicalNot : OfConditions<LogicalNot> {
  static constexpr const char* name = "logical_not";

  template <class V>
  [[SITU_INLINE]] constexpr auto operator()(V x) const {
    return !x;
  }
};

/// `a & b`.
struct BitAnd : OfBits<BitAnd> {
  static constexpr const char* name = "bitwise_and";

  template <class V, class W>
  [[SITU_INLINE]] constexpr auto operator()(V a, W b) const {
    if constexpr (std::integral<V> && std::integral<W>) return static_cast<V>(a & b);
    else return a & b;
  }
};

/// `a | b`.
struct BitOr : OfBits<BitOr> {
  static constexpr const char* name = "bitwise_or";

  template <class V, class W>
  [[SITU_INLINE]] constexpr auto operator()(V a, W b) const {
    if constexpr (std::integral<V> && std::integral<W>) return static_cast<V>(a | b);
    else return a | b;
  }
};

/// `a ^ b`.
struct BitXor : OfBits<BitXor> {
  static constexpr const char* name = "bitwise_xor";

  template <class V, class W>
  [[SITU_INLINE]] constexpr auto operator()(V a, W b) const {
    if constexpr (std::integral<V> && std::integral<W>) return static_cast<V>(a ^ b);
    else return a ^ b;
  }
};

/// `~x`; on `bool`, `!x`.
struct BitNot : OfBits<BitNot> {
  static constexpr const char* name = "bitwise_invert";

  template <class V>
  [[SITU_INLINE]] constexpr auto operator()(V x) const {
    if constexpr (std::same_as<V, bool>) return !x;
    else if constexpr (std::integral<V>) return static_cast<V>(~x);
    else if constexpr (std::same_as<V, mask_t<V>>) return !x;
    else return ~x;
  }
};

}  // namespace situ::internal::functional
