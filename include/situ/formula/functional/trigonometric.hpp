// SPDX-License-Identifier: Apache-2.0
// Functors of the trigonometric functions and their inverses. Angles are in radians.
#pragma once

#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/inverse_trigonometric.hpp>
#include <situ/formula/math/root.hpp>
#include <situ/formula/math/trigonometric.hpp>

namespace situ::internal::functional {

struct Sin : OfFloating<Sin> {
  static constexpr const char* name = "sin";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::sin(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g * math::cos(x);
  }
};

struct Cos : OfFloating<Cos> {
  static constexpr const char* name = "cos";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::cos(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return -(g * math::sin(x));
  }
};

struct Tan : OfFloating<Tan> {
  static constexpr const char* name = "tan";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::tan(x); }
  static constexpr unsigned derivative_reads = reads::result;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y) const {
    return g * (detail::number<V>(1) + y * y);
  }
};

struct Asin : OfFloating<Asin> {
  static constexpr const char* name = "asin";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::asin(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V one = detail::number<V>(1);
    return g / math::sqrt((one - x) * (one + x));
  }
};

struct Acos : OfFloating<Acos> {
  static constexpr const char* name = "acos";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::acos(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    const V one = detail::number<V>(1);
    return -g / math::sqrt((one - x) * (one + x));
  }
};

struct Atan : OfFloating<Atan> {
  static constexpr const char* name = "atan";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::atan(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g / (detail::number<V>(1) + x * x);
  }
};

/// The angle of the point (x, y); y comes first, as in C.
struct Atan2 : OfFloating<Atan2> {
  static constexpr const char* name = "atan2";

  template <class V>
  constexpr V operator()(V y, V x) const {
    return math::atan2(y, x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0> | reads::operand<1>;
  template <std::size_t At, class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V y, V x) const {
    const V radius = math::hypot(y, x);  // divide by it twice, since its square may overflow
    if constexpr (At == 0) return g * (x / radius / radius);
    else return -(g * (y / radius / radius));
  }
};

}  // namespace situ::internal::functional
