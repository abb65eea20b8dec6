// SPDX-License-Identifier: Apache-2.0
// Functor of the error function.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/math/error_function.hpp>

namespace situ::functional {

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
};

}  // namespace situ::functional
