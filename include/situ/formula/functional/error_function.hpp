// SPDX-License-Identifier: Apache-2.0
// Functor of the error function.
#pragma once

#include <cstddef>

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/math/error_function.hpp>

namespace situ::internal::functional {

struct Erf {
  using lane_functor = void;
  static constexpr const char* name = "erf";
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
  template <Element T>
  using result = T;
  template <class V>
  constexpr V operator()(V x) const {
    return math::erf(x);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <std::size_t At, class V>
  [[gnu::always_inline]] constexpr V derivative(V g, V x) const {
    return g * (detail::number<V>(1.12837916709551257390) * math::exp(-(x * x)));
  }
};

}  // namespace situ::internal::functional
