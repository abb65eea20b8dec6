// SPDX-License-Identifier: Apache-2.0
// `linear`: a product with a weight, a bias and an activation, in one pass over the result if the device has a kernel
// for it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/activation.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/activation.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/product.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// `y = activation(y + bias)` in one pass; without a bias unless `bias` is given.
template <Element T, Device D>
void finish(Tensor<T, D>& y, const Tensor<T, D>* bias, Activation activation) {
  using functional::Add;
  using functional::GeluTanh;
  using functional::Relu;
  if (bias == nullptr) {
    if (activation == Activation::relu) assign(y, make_map(Relu{}, y));
    else if (activation == Activation::gelu_tanh) assign(y, make_map(GeluTanh{}, y));
  } else if (activation == Activation::relu) {
    assign(y, make_map(Relu{}, make_map(Add{}, y, *bias)));
  } else if (activation == Activation::gelu_tanh) {
    assign(y, make_map(GeluTanh{}, make_map(Add{}, y, *bias)));
  } else {
    assign(y, make_map(Add{}, y, *bias));
  }
}

template <Element T, Device D>
[[nodiscard]] Tensor<T, D> linear_layer(const Tensor<T, D>& x, const Tensor<T, D>& weight, const Tensor<T, D>* bias,
                                        Activation activation, Precision precision) {
  if (weight.rank() != 2 || x.rank() == 0 || x.shape()[-1] != weight.shape()[1]) {
    throw ShapeError("linear: shape " + x.shape().to_string() + " and a weight of shape " + weight.shape().to_string() +
                     " do not fit; the weight has shape (out, in), and the last axis of x has in positions");
  }
  if (bias != nullptr && !(bias->shape() == Shape{weight.shape()[0]})) {
    throw ShapeError("linear: a bias of shape " + bias->shape().to_string() + " with a weight of shape " +
                     weight.shape().to_string() + "; it must be " + Shape{weight.shape()[0]}.to_string() +
                     ", an element for each output");
  }
  if constexpr (!FinishesProducts<backend_t<D>, T> && !std::same_as<T, compute_t<T>>) {
    // Bias and activation are applied to the sums while they are in `float`: the result is rounded once.
    if (bias != nullptr || activation == Activation::gelu_tanh) {
      const Tensor<float, D> added = bias != nullptr ? eval(cast<float>(*bias)) : Tensor<float, D>();
      return eval(cast<T>(linear_layer<float, D>(eval(cast<float>(x)), eval(cast<float>(weight)),
                                                 bias != nullptr ? &added : nullptr, activation, precision)));
    }
  }
  const Tensor<T, D> columns = transpose(weight);
  ProductPlan plan = plan_product(x, columns, precision);
  Storage<D> storage = allocate_elements<T, D>(plan.shape.checked());
  plan.product.c = storage.data();
  const Layout layout = Layout::row_major(plan.shape);
  if (plan.shape.count() == 0) return Tensor<T, D>(std::move(storage), layout);
  if constexpr (FinishesProducts<backend_t<D>, T>) {
    program::ProductEnd end;
    end.activation = activation;
    const Tensor<T, D>& added = bias != nullptr ? *bias : x;
    if (bias != nullptr) {
      end.bias = bias->element_pointer();
      end.bias_step = bias->layout().stride(0);
    }
    call_kernel<D, kernels::Linear, FinishesProducts<backend_t<D>, T>>(
        [&](auto backend) { finished_product<T>(backend, plan.product, end); }, writes<T>(storage), reads(x),
        reads(columns), reads(added));
    return Tensor<T, D>(std::move(storage), layout);
  } else {
    call_kernel<D, kernels::Linear, Multiplies<backend_t<D>, T>>(
        [&](auto backend) { matrix_product<T>(backend, plan.product); }, writes<T>(storage), reads(x), reads(columns));
    Tensor<T, D> y(std::move(storage), layout);
    finish(y, bias, activation);
    return y;
  }
}

namespace operation {

struct Linear : functional::OfFloating<Linear> {};  // named for the guards

/// A layer; `has_bias` is false without the third operand.
template <Element T, Device D>
struct LinearLayer {
  Activation activation;
  Precision precision;
  bool has_bias;
  Tensor<T, D> rectified = {};  // the result, if recorded with `relu`, whose derivative reads it

  template <TensorLike X, TensorLike W, TensorLike B>
  [[nodiscard]] Tensor<T, D> operator()(const X& x, const W& weight, const B& bias) const {
    const Tensor<T, D>& added = operand_value(bias);
    return linear_layer<T, D>(operand_value(x), operand_value(weight), has_bias ? &added : nullptr, activation,
                              precision);
  }
  [[nodiscard]] Tensor<T, D> recorded(const Tensor<T, D>& x, const Tensor<T, D>& weight, const Tensor<T, D>& bias) {
    const Tensor<T, D> value = (*this)(x, weight, bias);
    if (activation == Activation::relu) rectified = value;
    return value;
  }

  static constexpr bool shares_work = true;
  template <std::size_t At>
  static constexpr unsigned gradient_reads = At == 0   ? reads::operand<1>
                                             : At == 1 ? reads::operand<0>
                                                       : reads::nothing;
  [[nodiscard]] std::array<Tensor<T, D>, 3> gradients(const std::array<bool, 3>& wanted, Tensor<T, D> g,
                                                      const Tensor<T, D>& x, const Tensor<T, D>& weight,
                                                      const Shape& bias) const {
    std::array<Tensor<T, D>, 3> result;
    if (rectified.size() > 0) g = where(rectified <= T(0), T(0), g);
    if (wanted[2]) result[2] = sum_to(g, bias);
    if (wanted[0]) result[0] = matmul(g, weight, precision);
    if (!wanted[1]) return result;
    if (g.size() == 0 || x.size() == 0) result[1] = zeros<T>({g.extent(-1), x.extent(-1)}, D{});
    else result[1] = matmul(transpose(rows_of_batch(g)), rows_of_batch(x), precision);
    return result;
  }
};

}  // namespace operation

/// A layer of tensors or variables; reads the bias only if `has_bias`.
template <class X, class W, class B>
[[nodiscard]] applied_t<X, W, B> apply_linear(const X& x, const W& weight, const B& bias, bool has_bias,
                                              Activation activation, Precision precision) {
  using Layer = operation::LinearLayer<value_type_t<X>, device_t<X>>;
  if constexpr (Recorded<X> || Recorded<W> || Recorded<B>) {
    // the derivative of gelu_tanh reads the sum, which is stored for it, so the activation is a separate pass
    if (activation == Activation::gelu_tanh) {
      return gelu_tanh(apply(Layer{Activation::none, precision, has_bias}, x, weight, bias));
    }
  }
  return apply(Layer{activation, precision, has_bias}, x, weight, bias);
}

}  // namespace internal

/// `activation(x W^T + b)`, a layer of a network: `x` has shape (..., in), the weight (out, in) as in PyTorch, the bias
/// (out,), the result (..., out). Floating elements; precision as for `matmul`. On the CPU bias and activation are one
/// pass after the product; on a GPU they are part of the product if cuBLASLt has a kernel for that. 16-bit floats are
/// rounded once, at the end; twice on a GPU for a matrix for which cuBLASLt has no such kernel. Throws `ShapeError` for
/// other shapes.
///
///     Tensor y = linear(x, weight, bias, Activation::gelu_tanh);
///
/// There is no `gelu` among the activations: cuBLASLt's is believed to be the tanh form (NVIDIA's documentation does
/// not say, and it has not been compared on a GPU yet). Write `gelu(linear(x, weight, bias))`.
template <class X, class W, class B>
  requires internal::Multipliable<X, W> && internal::Multipliable<X, B> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W, B> linear(const X& x, const W& weight, const B& bias,
                                        Activation activation = Activation::none,
                                        Precision precision = Precision::full) {
  return internal::apply_linear(x, weight, bias, true, activation, precision);
}
/// Without a bias.
template <class X, class W>
  requires internal::Multipliable<X, W> && FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X, W> linear(const X& x, const W& weight, Activation activation = Activation::none,
                                     Precision precision = Precision::full) {
  return internal::apply_linear(x, weight, internal::tensor_of_t<X>(), false, activation, precision);
}
template <class D, class... Rest>
on_device<D> linear(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const Rest&...);
template <class D, class W>
on_device<D> linear(const on_device<D>&, const W&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    Activation = Activation::none, Precision = Precision::full);
template <class T, class D, class... Rest>
placed<T, D> linear(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    const Rest&...);
template <class T, class D, class W>
placed<T, D> linear(const placed<T, D>&, const W&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                    Activation = Activation::none, Precision = Precision::full);
template <Element T, Device D, class... Rest>
  requires(!FloatingElement<T>)
Tensor<T, D> linear(const placed<T, D>&,
                    typename operation_undefined_for_elements<internal::operation::Linear, T, D>::fix_call_cast,
                    const Rest&...);

}  // namespace situ
