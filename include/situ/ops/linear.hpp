// SPDX-License-Identifier: Apache-2.0
// `linear`: a product with a weight, a bias and an activation, in one pass over the result where the device has a kernel
// for it.
#pragma once

#include <string>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/activation.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/product.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {
struct Linear : functional::OfFloating<Linear> {};
}  // namespace internal::operation

namespace internal {

/// Whether the backend of `D` finishes a product of `T` itself.
template <class T, class D>
concept FinishesProducts =
    requires(typename D::backend backend, const program::MatrixProduct& product, const program::ProductEnd& end) {
      finished_product<T>(backend, product, end);
    };

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
[[nodiscard]] Tensor<T, D> linear(const Tensor<T, D>& x, const Tensor<T, D>& weight, const Tensor<T, D>* bias,
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
  const Tensor<T, D> columns = transpose(weight);
  ProductPlan plan = plan_product(x, columns, precision);
  Storage<D> storage = allocate_elements<T, D>(plan.shape.checked());
  plan.product.c = storage.data();
  const Layout layout = Layout::row_major(plan.shape);
  if (plan.shape.count() == 0) return Tensor<T, D>(std::move(storage), layout);
  if constexpr (FinishesProducts<T, D>) {
    program::ProductEnd end;
    end.activation = activation;
    const Tensor<T, D>& added = bias != nullptr ? *bias : x;
    if (bias != nullptr) {
      end.bias = bias->element_pointer();
      end.bias_step = bias->layout().stride(0);
    }
    on_backend<D>([&](auto backend) { finished_product<T>(backend, plan.product, end); }, writes(storage), reads(x),
                  reads(columns), reads(added));
    return Tensor<T, D>(std::move(storage), layout);
  } else {
    on_backend<D>([&](auto backend) { matrix_product<T>(backend, plan.product); }, writes(storage), reads(x),
                  reads(columns));
    Tensor<T, D> y(std::move(storage), layout);
    finish(y, bias, activation);
    return y;
  }
}

}  // namespace internal

/// `activation(x W^T + b)`, a layer of a network: `x` has shape (..., in), the weight (out, in) as in PyTorch, the bias
/// (out,), the result (..., out). Floating elements; precision as for `matmul`. On the CPU bias and activation are one
/// pass after the product; on a GPU they are part of the product where cuBLASLt has a kernel for that. 16-bit floats are
/// rounded once there, and before the bias as well where the passes are two. Throws `ShapeError` for other shapes.
///
///     Tensor y = linear(x, weight, bias, Activation::gelu_tanh);
///
/// There is no `gelu` among the activations: cuBLASLt's is believed to be the form with tanh (NVIDIA's documentation does
/// not say, and it has not been compared on a GPU yet). Write `gelu(linear(x, weight, bias))`.
template <class X, class W, class B>
  requires internal::Multipliable<X, W> && internal::Multipliable<X, B> && FloatingElement<value_type_t<X>>
[[nodiscard]] internal::tensor_of_t<X> linear(const X& x, const W& weight, const B& bias,
                                            Activation activation = Activation::none,
                                            Precision precision = Precision::full) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Tensor<T, D> added = eval(bias);
  return internal::linear<T, D>(eval(x), eval(weight), &added, activation, precision);
}
/// Without a bias.
template <class X, class W>
  requires internal::Multipliable<X, W> && FloatingElement<value_type_t<X>>
[[nodiscard]] internal::tensor_of_t<X> linear(const X& x, const W& weight, Activation activation = Activation::none,
                                            Precision precision = Precision::full) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  return internal::linear<T, D>(eval(x), eval(weight), nullptr, activation, precision);
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
