// SPDX-License-Identifier: Apache-2.0
// `linear` and `layer_norm` of spread values; see ops/linear.hpp and ops/normalize.hpp.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/algebra.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/one_layout.hpp>
#include <situ/distributed/product_layout.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/linear.hpp>
#include <situ/ops/normalize.hpp>

namespace situ {

/// An activation of `linear` if the product is a `Partial`.
struct a_partial_sum_has_no_activation {
  struct fix_call_it_behind_all_reduce {
    fix_call_it_behind_all_reduce(Activation) = delete;
  };
};
/// An operand that must be replicated, such as the weight of `layer_norm`.
struct every_device_needs_all_of_the_operand {
  struct fix_call_all_gather {};
};

namespace internal {

namespace operation {
/// Adding the bias of `linear`; the weight and bias of `layer_norm`. Named for the guards.
struct BiasOfLinear : functional::OfFloating<BiasOfLinear> {};
struct LayerNormScale : functional::OfFloating<LayerNormScale> {};
}  // namespace operation

/// Whether the layout of the bias is that of the last axis of a product in this layout.
template <class Product, class Bias>
inline constexpr bool bias_fits =
    (std::same_as<Bias, Replicated> && !is_partial<Product> && !std::same_as<Product, Sharded<1>>) ||
    (std::same_as<Bias, Sharded<0>> && std::same_as<Product, Sharded<1>>) ||
    (std::same_as<Bias, Local> && std::same_as<Product, Local>);

template <class X, class W>
concept SpreadLinear = SpreadFactors<LinearLayout, X, W> && FloatingElement<spread_element_t<X>>;
template <class X, class W, class B>
concept SpreadLinearWithBias = SpreadLinear<X, W> && SpreadLike<B> && SpreadOperands<X, B> &&
                               bias_fits<layout_by<LinearLayout, X, W>, layout_t<B>>;

/// The base, for the guards of the third operand, of the product of `X` and `W`.
template <class X, class W>
using linear_result_t = spread_over<spread_element_t<X>, layout_by<LinearLayout, X, W>, spread_mesh_t<X>>;

/// The shape of `linear`. Throws `ShapeError` for shapes that do not fit, and for ranks that these layouts do not
/// allow.
template <class X, class W>
[[nodiscard]] Shape linear_shape(const X& x, const W& weight) {
  using L = layout_t<X>;
  const Shape in = x.shape();
  const Shape matrix = weight.shape();
  if (matrix.rank() != 2 || in.rank() == 0 || in[-1] != matrix[1]) {
    throw ShapeError("linear: shape " + in.to_string() + " and a weight of shape " + matrix.to_string() +
                     " do not fit; the weight has shape (out, in), and the last axis of x has in positions");
  }
  if (std::same_as<L, Sharded<0>> && in.rank() < 2) {
    fail_product<L, layout_t<W>>("linear", in, matrix, "x must have rows");
  }
  if (is_sharded<layout_t<W>> && in.rank() != 2) {
    fail_product<L, layout_t<W>>("linear", in, matrix, "if the weight is cut, x must be a matrix (reshape)");
  }
  Shape shape = in;
  shape.set(in.rank() - 1, matrix[0]);
  return shape;
}

/// A bias must be added once; before the terms are summed it would be added once per device.
template <>
struct LayoutMismatch<operation::BiasOfLinear, Partial<>, Replicated> {
  using type = a_replicated_value_would_be_added_once_per_device::fix_call_all_reduce_first;
};
template <>
struct LayoutMismatch<operation::BiasOfLinear, Sharded<1>, Replicated> {
  using type = a_replicated_operand_stands_beside_pieces::fix_call_shard<0>;
};
template <class X, int Axis>
struct LayoutMismatch<operation::BiasOfLinear, X, Sharded<Axis>> {
  using type = every_device_needs_all_of_the_operand::fix_call_all_gather;
};
template <int X, int Axis>
struct LayoutMismatch<operation::BiasOfLinear, Sharded<X>, Sharded<Axis>> {
  using type = every_device_needs_all_of_the_operand::fix_call_all_gather;
};

}  // namespace internal

/// `activation(x W^T + b)`, with the weight (out, in). If the inputs are cut, the result is a `Partial` and there is no
/// bias: add the bias, and call the activation, after `all_reduce`.
///
///     Spread y = linear(x, w, b);                   // x Sharded<0>, w and b Replicated: Sharded<0>
///     Spread h = linear(x, w1, b1);                 // x Replicated, w1 and b1 Sharded<0>: Sharded<1>
///     Spread z = all_reduce(linear(h, w2)) + b2;    // h and w2 Sharded<1>: Partial<>, then Replicated
template <class X, class W, class B>
  requires internal::SpreadLinearWithBias<X, W, B>
[[nodiscard]] auto linear(const X& x, const W& weight, const B& bias, Activation activation = Activation::none,
                          Precision precision = Precision::full) {
  const Shape shape = internal::linear_shape(x, weight);
  if (!(bias.shape() == Shape{weight.extent(0)})) {
    throw ShapeError("linear: a bias of shape " + bias.shape().to_string() + " with a weight of shape " +
                     weight.shape().to_string() + "; it must be " + Shape{weight.extent(0)}.to_string() +
                     ", an element for each output");
  }
  return internal::map_parts<internal::layout_by<internal::LinearLayout, X, W>>(
      shape,
      [=](const auto& in, const auto& matrix, const auto& added) {
        return linear(in, matrix, added, activation, precision);
      },
      x, weight, bias);
}
/// Without a bias.
template <class X, class W>
  requires internal::SpreadLinear<X, W> && (!internal::is_partial<internal::layout_by<internal::LinearLayout, X, W>>)
[[nodiscard]] auto linear(const X& x, const W& weight, Activation activation = Activation::none,
                          Precision precision = Precision::full) {
  return internal::map_parts<internal::layout_by<internal::LinearLayout, X, W>>(
      internal::linear_shape(x, weight),
      [=](const auto& in, const auto& matrix) { return linear(in, matrix, activation, precision); }, x, weight);
}
/// The result is a sum that is not summed yet.
template <class X, class W>
  requires internal::SpreadLinear<X, W> && internal::is_partial<internal::layout_by<internal::LinearLayout, X, W>>
[[nodiscard]] auto linear(const X& x, const W& weight, Precision precision = Precision::full) {
  return internal::map_parts<Partial<>>(
      internal::linear_shape(x, weight),
      [=](const auto& in, const auto& matrix) { return linear(in, matrix, Activation::none, precision); }, x, weight);
}
template <class T, class L, class M, class... Rest>
never_made linear(const spread_over<T, L, M>&,
                  typename the_operands_do_not_fit<internal::operation::Linear, spread_over<T, L, M>>::see_Reason,
                  const Rest&...);
template <class T, class L, class M, class... Rest>
never_made linear(typename the_left_operand_does_not_fit<internal::operation::Linear, spread_over<T, L, M>>::see_Reason,
                  const spread_over<T, L, M>&, const Rest&...);
template <class X, class W>
  requires internal::SpreadLinear<X, W>
never_made linear(
    const X&, const W&,
    typename the_operands_do_not_fit<internal::operation::BiasOfLinear, internal::linear_result_t<X, W>>::see_Reason,
    Activation = Activation::none, Precision = Precision::full);
template <class X, class W>
  requires internal::SpreadLinear<X, W> && internal::is_partial<internal::layout_by<internal::LinearLayout, X, W>>
never_made linear(const X&, const W&, a_partial_sum_has_no_activation::fix_call_it_behind_all_reduce,
                  Precision = Precision::full);

namespace internal {

/// The input of `layer_norm`, and its weight or bias, which every device needs in whole.
template <class X, class W>
concept SpreadLayerNorm =
    SpreadLike<X> && SpreadLike<W> && SpreadOperands<X, W> && FloatingElement<spread_element_t<X>> &&
    !is_partial<layout_t<X>> &&
    (std::same_as<layout_t<W>, Replicated> || (std::same_as<layout_t<W>, Local> && std::same_as<layout_t<X>, Local>));
template <class X>
struct LayoutMismatch<operation::LayerNormScale, X, Replicated> {};
template <>
struct LayoutMismatch<operation::LayerNormScale, Local, Local> {};
template <class X, int Axis>
struct LayoutMismatch<operation::LayerNormScale, X, Sharded<Axis>> {
  using type = every_device_needs_all_of_the_operand::fix_call_all_gather;
};
template <int X, int Axis>
struct LayoutMismatch<operation::LayerNormScale, Sharded<X>, Sharded<Axis>> {
  using type = every_device_needs_all_of_the_operand::fix_call_all_gather;
};

}  // namespace internal

/// `(x - mean) / sqrt(var + epsilon) * weight + bias` along the last axis, which must not be the one that is cut (else
/// `ShapeError`).
///
///     Spread y = layer_norm(x, weight, bias);       // x Sharded<0>, the others Replicated: Sharded<0>
template <class X, class W, class B>
  requires internal::SpreadLayerNorm<X, W> && internal::SpreadLayerNorm<X, B>
[[nodiscard]] auto layer_norm(const X& x, const W& weight, const B& bias, double epsilon = 1e-5) {
  if (internal::is_sharded<layout_t<X>> && internal::sharded_axis<layout_t<X>> == x.rank() - 1) {
    throw ShapeError("layer_norm: the last axis of shape " + x.shape().to_string() +
                     ", along which it normalizes, is cut (" + internal::LayoutFacts<layout_t<X>>::name() +
                     "); all_gather x, or reshard it along another axis");
  }
  return internal::map_parts<layout_t<X>>(
      x.shape(), [=](const auto& in, const auto& w, const auto& b) { return layer_norm(in, w, b, epsilon); }, x, weight,
      bias);
}
template <class W, class B>
never_made layer_norm(a_partial_sum_is_not_a_value::fix_call_all_reduce, const W&, const B&, double = 0);
template <class T, class L, class M, class B>
  requires(!internal::is_partial<L>)
never_made layer_norm(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::operation::LayerNormScale, spread_over<T, L, M>>::see_Reason, const B&,
    double = 0);
template <class X, class W>
  requires internal::SpreadLayerNorm<X, W>
never_made layer_norm(const X&, const W&,
                      typename the_operands_do_not_fit<internal::operation::LayerNormScale,
                                                       spread_over<internal::spread_element_t<X>, layout_t<X>,
                                                                   internal::spread_mesh_t<X>>>::see_Reason,
                      double = 0);

}  // namespace situ
