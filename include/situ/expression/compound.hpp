// SPDX-License-Identifier: Apache-2.0
// In-place arithmetic: `x += e` is `x = x + e` with the shape of `x`, for tensors and slots.
#pragma once

#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/functional/arithmetic.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>

namespace situ {

namespace detail {

template <class F, class Target, class R>
Target& update(Target& target, R&& right) {
  auto expression = make_map(F{}, stored(target), std::forward<R>(right));
  if (!(expression.shape() == target.shape())) {
    throw ShapeError(std::string(F::name) + " in place: the operand broadcasts shape " + target.shape().to_string() +
                     " to " + expression.shape().to_string() + ", but a tensor keeps its shape; write x = x + y");
  }
  assign(target, std::move(expression));
  return target;
}

}  // namespace detail

template <class Target, class R>
  requires OperandsOf<functional::Add, Target&, R>
Target& add_assign(Target& target, R&& right) {
  return detail::update<functional::Add>(target, std::forward<R>(right));
}
template <class Target, class R>
  requires OperandsOf<functional::Subtract, Target&, R>
Target& subtract_assign(Target& target, R&& right) {
  return detail::update<functional::Subtract>(target, std::forward<R>(right));
}
template <class Target, class R>
  requires OperandsOf<functional::Multiply, Target&, R>
Target& multiply_assign(Target& target, R&& right) {
  return detail::update<functional::Multiply>(target, std::forward<R>(right));
}
template <class Target, class R>
  requires OperandsOf<functional::Divide, Target&, R>
Target& divide_assign(Target& target, R&& right) {
  return detail::update<functional::Divide>(target, std::forward<R>(right));
}
template <class Target, class R>
  requires OperandsOf<functional::Remainder, Target&, R>
Target& remainder_assign(Target& target, R&& right) {
  return detail::update<functional::Remainder>(target, std::forward<R>(right));
}

}  // namespace situ
