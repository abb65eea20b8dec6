// SPDX-License-Identifier: Apache-2.0
// `custom_gradient(value, gradient)`: a function of whole tensors with a gradient of its own.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// "The value of custom_gradient has other elements, or is elsewhere: fix: return the elements of the first operand on
/// its device".
template <class Found, class Operand>
struct the_value_of_custom_gradient_is_of_another_type {
  static_assert(std::same_as<Found, Operand>,
                "fix: return a tensor with the elements and the device of the first operand");
};

/// A gradient that a user's function returned for an operand, which has `shape`.
template <class T, class D, class G>
[[nodiscard]] Tensor<T, D> own_gradient(const G& gradient, const Shape& shape, std::size_t operand) {
  static_assert(TensorLike<G> && !Recorded<G>, "fix: return tensors or expressions of tensors from the gradient");
  static_assert(std::same_as<value_type_t<G>, T> && std::same_as<device_t<G>, D>,
                "fix: return a gradient with the elements and the device of its operand");
  if (!(gradient.shape() == shape)) {
    throw ShapeError("custom_gradient: the gradient of operand " + std::to_string(operand) + " has shape " +
                     gradient.shape().to_string() + ", but the operand has " + shape.to_string() +
                     "; they must be equal");
  }
  return eval(gradient);
}

namespace operation {

template <class Value>
struct CustomValue {
  Value value;

  template <class X, class... More>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x, const More&... more) const {
    auto result = eval(value(eval(x), eval(more)...));
    static_cast<void>(the_value_of_custom_gradient_is_of_another_type<decltype(result), tensor_of_t<X>>{});
    return result;
  }
};

/// With one operand.
template <class Value, class Gradient>
struct Custom : CustomValue<Value> {
  Gradient of;

  static constexpr unsigned gradient_reads = reads::result | reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& y, const Tensor<T, D>& x) const {
    return own_gradient<T, D>(of(g, y, x), x.shape(), 0);
  }
};

/// With several: their gradients are computed together.
template <class Value, class Gradient, std::size_t Count>
struct CustomOfSeveral : CustomValue<Value> {
  Gradient of;

  static constexpr bool shares_work = true;
  template <std::size_t>
  static constexpr unsigned gradient_reads = reads::result | reads::operands(Count);
  template <Element T, Device D, class... X>
  [[nodiscard]] std::array<Tensor<T, D>, Count> gradients(const std::array<bool, Count>&, const Tensor<T, D>& g,
                                                          const Tensor<T, D>& y, const X&... x) const {
    return std::apply(
        [&](const auto&... gradient) {
          static_assert(sizeof...(gradient) == Count, "fix: return one gradient for each operand: std::tuple(...)");
          std::size_t operand = 0;
          return std::array<Tensor<T, D>, Count>{own_gradient<T, D>(gradient, x.shape(), operand++)...};
        },
        of(g, y, x...));
  }
};

}  // namespace operation

/// The function that `custom_gradient` returns.
template <class Value, class Gradient>
struct CustomGradient {
  Value value;
  Gradient gradient;

  template <TensorLike X, TensorLike... More>
    requires((std::same_as<value_type_t<X>, value_type_t<More>> && std::same_as<device_t<X>, device_t<More>>) && ...)
  [[nodiscard]] applied_t<X, More...> operator()(const X& x, const More&... more) const {
    if constexpr (sizeof...(More) == 0) {
      return apply(operation::Custom<Value, Gradient>{{value}, gradient}, x);
    } else {
      return apply(operation::CustomOfSeveral<Value, Gradient, 1 + sizeof...(More)>{{value}, gradient}, x, more...);
    }
  }
};

}  // namespace internal

/// A function of whole tensors with a gradient of its own: `value(x...)` returns a tensor or an expression, computed
/// without recording; `gradient(g, y, x...)` returns the gradient of `x` from that of the result, `g`, and the result,
/// `y`. With several operands it returns a `std::tuple` of their gradients. The operands have one element type and one
/// device, which are those of the result. Throws `ShapeError` in `backward` for a gradient of another shape than its
/// operand. As `torch.autograd.Function` and `jax.custom_vjp`.
///
///     const auto round_through = custom_gradient([](const auto& x) { return round(x); },
///                                                [](const auto& g, const auto&, const auto&) { return g; });
///     Variable y = round_through(w * 8) / 8;         // quantized; the gradient is that of w
template <class Value, class Gradient>
[[nodiscard]] auto custom_gradient(Value value, Gradient gradient) {
  return internal::CustomGradient<Value, Gradient>{std::move(value), std::move(gradient)};
}

}  // namespace situ
