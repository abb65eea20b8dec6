// SPDX-License-Identifier: Apache-2.0
// The arithmetic operators of spread values: lazy, by the algebra of layouts (algebra.hpp).
#pragma once

#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/arithmetic.hpp>

namespace situ {

template <class L, class R>
  requires internal::SpreadOperandsOf<internal::functional::Add, L, R>
[[nodiscard]] auto operator+(const L& left, const R& right) {
  return internal::map_elements(internal::functional::Add{}, left, right);
}

}  // namespace situ
