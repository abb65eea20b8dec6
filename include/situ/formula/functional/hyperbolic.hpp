// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions and their inverses.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/hyperbolic.hpp>
#include <situ/formula/math/root.hpp>

namespace situ::internal::functional {

/// See math::sinh.
struct Sinh : OfFloating<Sinh> {
  static constexpr const char* name = "sinh";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::sinh(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g * math::cosh(x);
  }
};

/// See math::cosh.
struct Cosh : OfFloating<Cosh> {
  static constexpr const char* name = "cosh";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::cosh(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g * math::sinh(x);
  }
};

/// See math::tanh.
struct Tanh : OfFloating<Tanh> {
  static constexpr const char* name = "tanh";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::tanh(x); }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    const V one = detail::number<V>(1);
    return g * ((one - y) * (one + y));
  }
};

/// See math::asinh.
struct Asinh : OfFloating<Asinh> {
  static constexpr const char* name = "asinh";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::asinh(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g / math::hypot(x, detail::number<V>(1));
  }
};

/// See math::acosh.
struct Acosh : OfFloating<Acosh> {
  static constexpr const char* name = "acosh";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::acosh(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V one = detail::number<V>(1);
    return g / (math::sqrt(x - one) * math::sqrt(x + one));
  }
};

/// See math::atanh.
struct Atanh : OfFloating<Atanh> {
  static constexpr const char* name = "atanh";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::atanh(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V one = detail::number<V>(1);
    return g / ((one - x) * (one + x));
  }
};

}  // namespace situ::internal::functional
