// SPDX-License-Identifier: Apache-2.0
// The element-wise functions of one spread operand; see ops/unary.hpp for what each computes.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/map_elements.hpp>
#include <situ/formula/functional/exponential.hpp>

namespace situ {

template <internal::SpreadOperandOf<internal::functional::Exp> X>
[[nodiscard]] auto exp(const X& x) {
  return internal::map_elements(internal::functional::Exp{}, x);
}
Spread<float, Replicated, Cpu> exp(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
