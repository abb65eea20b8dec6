// SPDX-License-Identifier: Apache-2.0
// Convolutions of variables.
#pragma once

#include <utility>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>

namespace situ {

namespace autograd {

/// The gradient of `conv2d`.
template <Element T, Device D>
struct ConvolutionGradient {
  Edge<T, D> x, weight, bias;
  Tensor<T, D> images, kernels;  // each as far as the gradient of the other is wanted
  internal::program::Convolution convolution;

  void operator()(Pass& pass, const Tensor<T, D>& g) const {
    if (bias) {
      if (g.rank() == 4) pass.add(bias, Tensor<T, D>(sum(g, {0, 2, 3})));
      else pass.add(bias, Tensor<T, D>(sum(g, {1, 2})));
    }
    if (x) pass.add(x, situ::internal::convolution_input_gradient(g, kernels, x.shape, convolution));
    if (!weight) return;
    if (g.size() == 0) pass.add(weight, zeros<T>(weight.shape, D{}));
    else pass.add(weight, situ::internal::convolution_weight_gradient(g, images, weight.shape, convolution));
  }
};

template <Element T, Device D>
[[nodiscard]] Variable<T, D> conv2d(const Variable<T, D>& x, const Variable<T, D>& weight, const Variable<T, D>* bias,
                                    const Conv2dOptions& options) {
  const Shape* const bias_shape = bias != nullptr ? &bias->shape() : nullptr;
  const auto plan = situ::internal::plan_convolution(x.shape(), weight.shape(), bias_shape, options);
  const Variable<T, D> added = bias != nullptr ? *bias : Variable<T, D>();
  return record(situ::internal::convolve(x.value(), weight.value(), bias != nullptr ? &bias->value() : nullptr, plan),
                nodes_of(x, weight, added),
                ConvolutionGradient<T, D>{x.edge(), weight.edge(), added.edge(), kept_for(weight.edge(), x.value()),
                                          kept_for(x.edge(), weight.value()), plan.convolution});
}

}  // namespace autograd

template <class X, class W, class B>
  requires internal::Multipliable<X, W> && internal::Multipliable<X, B> && FloatingElement<value_type_t<X>> &&
           AnyRecorded<X, W, B>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> conv2d(const X& x, const W& weight, const B& bias,
                                                           const Conv2dOptions& options = {}) {
  const Variable<value_type_t<X>, device_t<X>> added = autograd::as_variable(bias);
  return autograd::conv2d(autograd::as_variable(x), autograd::as_variable(weight), &added, options);
}
template <class X, class W>
  requires internal::Multipliable<X, W> && FloatingElement<value_type_t<X>> && AnyRecorded<X, W>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> conv2d(const X& x, const W& weight,
                                                           const Conv2dOptions& options = {}) {
  using V = Variable<value_type_t<X>, device_t<X>>;
  return autograd::conv2d(autograd::as_variable(x), autograd::as_variable(weight), static_cast<const V*>(nullptr),
                          options);
}

}  // namespace situ
