// SPDX-License-Identifier: Apache-2.0
// Roots, exponentials, logarithms and powers.
#pragma once

#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/formula/math/pow.hpp>
#include <situ/formula/math/root.hpp>

namespace situ::internal::functional {

/// See math::sqrt.
struct Sqrt : OfFloating<Sqrt> {
  static constexpr const char* name = "sqrt";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::sqrt(x); }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    return g / (y + y);
  }
};

/// See math::rsqrt.
struct Rsqrt : OfFloating<Rsqrt> {
  static constexpr const char* name = "rsqrt";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::rsqrt(x); }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    return g * (y * y) * (y * detail::number<V>(-0.5));
  }
};

/// See math::exp.
struct Exp : OfFloating<Exp> {
  static constexpr const char* name = "exp";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::exp(x); }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    return g * y;
  }
};

/// See math::exp2.
struct Exp2 : OfFloating<Exp2> {
  static constexpr const char* name = "exp2";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::exp2(x); }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    return g * (y * detail::number<V>(0.69314718055994530942));
  }
};

/// See math::expm1.
struct Expm1 : OfFloating<Expm1> {
  static constexpr const char* name = "expm1";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::expm1(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g * math::exp(x);
  }
};

/// See math::log.
struct Log : OfFloating<Log> {
  static constexpr const char* name = "log";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::log(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g / x;
  }
};

/// See math::log1p.
struct Log1p : OfFloating<Log1p> {
  static constexpr const char* name = "log1p";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::log1p(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g / (detail::number<V>(1) + x);
  }
};

/// See math::log2.
struct Log2 : OfFloating<Log2> {
  static constexpr const char* name = "log2";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::log2(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g / (x * detail::number<V>(0.69314718055994530942));
  }
};

/// See math::log10.
struct Log10 : OfFloating<Log10> {
  static constexpr const char* name = "log10";

  [[SITU_INLINE]] constexpr auto operator()(auto x) const -> decltype(x) { return math::log10(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g / (x * detail::number<V>(2.30258509299404568402));
  }
};

/// See math::pow.
struct Pow : OfNumbers<Pow> {
  static constexpr const char* name = "pow";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    return math::pow(a, b);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads =
      At == 0 ? reads::operand<0> | reads::operand<1> : reads::result | reads::operand<0>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V a, V b) const {
    const V one = detail::number<V>(1);
    return select(b == V(lane_element_t<V>(0)), V(lane_element_t<V>(0)), g * (b * math::pow(a, b - one)));
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V y, V a) const {
    const V zero(lane_element_t<V>(0));
    // If a is 0, its logarithm is infinite: the gradient is 0 if y is 0, and for 0^0, as in PyTorch.
    const V slope = g * (y * math::log(a));
    return select(y == zero, zero, select(a == zero, select(y == V(lane_element_t<V>(1)), zero, slope), slope));
  }
};

/// See math::hypot.
struct Hypot : OfFloating<Hypot> {
  static constexpr const char* name = "hypot";

  template <class V>
  [[SITU_INLINE]] constexpr V operator()(V a, V b) const {
    return math::hypot(a, b);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads =
      At == 0 ? reads::result | reads::operand<0> : reads::result | reads::operand<1>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V y, V a) const {
    const V zero(lane_element_t<V>(0));
    return select(y == zero, zero, g * (a / y));
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V y, V b) const {
    const V zero(lane_element_t<V>(0));
    return select(y == zero, zero, g * (b / y));
  }
};

}  // namespace situ::internal::functional
