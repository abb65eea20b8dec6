// SPDX-License-Identifier: Apache-2.0
// Products of spread values: `matmul dot outer`, computed by each device from its own parts. The layouts that can be
// multiplied are in product_layout.hpp; for the operations see ops/linalg.hpp.
#pragma once

#include <string>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/product_layout.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/linalg.hpp>

namespace situ {

/// The matrix product. Throws `ShapeError` for shapes that do not fit and for ranks that these layouts do not allow.
///
///     Spread y = matmul(x, w);                      // x Sharded<0>, w Replicated: Sharded<0>
///     Spread h = matmul(a, w1);                     // a Replicated, w1 Sharded<1>: Sharded<1>
///     Spread p = matmul(h, w2);                     // h Sharded<1>, w2 Sharded<0>: Partial<>
template <class A, class B>
  requires internal::SpreadFactors<internal::ProductLayout, A, B>
[[nodiscard]] auto matmul(const A& a, const B& b, Precision precision = Precision::full) {
  const Shape shape = internal::product_shape(a.shape(), b.shape());
  internal::require_ranks_of_product<layout_t<A>, layout_t<B>>(a.shape(), b.shape());
  return internal::map_parts<internal::layout_by<internal::ProductLayout, A, B>>(
      shape, [precision](const auto& left, const auto& right) { return matmul(left, right, precision); }, a, b);
}
template <class T, class L, class M>
never_made matmul(const spread_over<T, L, M>&,
                  typename the_operands_do_not_fit<internal::operation::Matmul, spread_over<T, L, M>>::see_Reason,
                  Precision = Precision::full);
template <class T, class L, class M>
never_made matmul(typename the_left_operand_does_not_fit<internal::operation::Matmul, spread_over<T, L, M>>::see_Reason,
                  const spread_over<T, L, M>&, Precision = Precision::full);

/// The inner product of two vectors; a `Partial` if they are cut. Throws `ShapeError` for other ranks or different
/// lengths.
template <class A, class B>
  requires internal::SpreadFactors<internal::DotLayout, A, B>
[[nodiscard]] auto dot(const A& a, const B& b) {
  if (a.rank() != 1 || !(a.shape() == b.shape())) {
    throw ShapeError("dot: shapes " + a.shape().to_string() + " and " + b.shape().to_string() +
                     "; it takes two vectors of one length, matmul takes matrices");
  }
  return internal::map_parts<internal::layout_by<internal::DotLayout, A, B>>(
      Shape{}, [](const auto& left, const auto& right) { return dot(left, right); }, a, b);
}
template <class T, class L, class M>
never_made dot(const spread_over<T, L, M>&,
               typename the_operands_do_not_fit<internal::operation::Dot, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made dot(typename the_left_operand_does_not_fit<internal::operation::Dot, spread_over<T, L, M>>::see_Reason,
               const spread_over<T, L, M>&);

/// The products of every element of one vector with every element of another. Throws `ShapeError` for other ranks.
template <class A, class B>
  requires internal::SpreadFactors<internal::OuterLayout, A, B>
[[nodiscard]] auto outer(const A& a, const B& b) {
  if (a.rank() != 1 || b.rank() != 1) {
    throw ShapeError("outer: shapes " + a.shape().to_string() + " and " + b.shape().to_string() +
                     "; it takes two vectors (flatten them first)");
  }
  return internal::map_parts<internal::layout_by<internal::OuterLayout, A, B>>(
      Shape{a.extent(0), b.extent(0)}, [](const auto& left, const auto& right) { return outer(left, right); }, a, b);
}
template <class T, class L, class M>
never_made outer(const spread_over<T, L, M>&,
                 typename the_operands_do_not_fit<internal::operation::Outer, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made outer(typename the_left_operand_does_not_fit<internal::operation::Outer, spread_over<T, L, M>>::see_Reason,
                 const spread_over<T, L, M>&);

}  // namespace situ
