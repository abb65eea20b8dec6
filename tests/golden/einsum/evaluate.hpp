// SPDX-License-Identifier: Apache-2.0
// One of the subscripts of forms.hpp, applied to the operands of a case.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <situ/einsum.hpp>

namespace golden {

template <class D>
using Evaluate = situ::Tensor<double, D>(std::span<const situ::Tensor<double, D>>);

template <class D, situ::internal::Subscripts S>
situ::Tensor<double, D> evaluate(std::span<const situ::Tensor<double, D>> operands) {
  constexpr auto count = static_cast<std::size_t>(situ::internal::subscripts::form<S>.count);
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    return situ::einsum<S>(operands[At]...);
  }(std::make_index_sequence<count>());
}

}  // namespace golden
