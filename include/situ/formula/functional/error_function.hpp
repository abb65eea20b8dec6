// SPDX-License-Identifier: Apache-2.0
// Functor of the error function.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/error_function.hpp>

namespace situ::internal::functional {

struct Erf : OfFloating<Erf> {
  static constexpr const char* name = "erf";

  constexpr auto operator()(auto x) const -> decltype(x) { return math::erf(x); }
  static constexpr unsigned derivative_reads = reads::operand<0>;
  template <class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return g * (detail::number<V>(1.12837916709551257390) * math::exp(-(x * x)));
  }
};

}  // namespace situ::internal::functional
