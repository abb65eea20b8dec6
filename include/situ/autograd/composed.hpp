// SPDX-License-Identifier: Apache-2.0
// Softmax, layer normalisation, dropout and losses of variables.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/reduce.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/composed.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/dropout.hpp>
#include <situ/ops/loss.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/unary.hpp>

namespace situ {

template <FloatingTensor X>
  requires Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> softmax(const X& x, std::int64_t axis = -1) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const Tensor<T, D> y = softmax(in.value(), axis);
  return autograd::record(y, autograd::nodes_of(in),
                          [=, edge = in.edge()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            const Tensor<T, D> common = sum(g * y, axis, keepdims);
                            pass.add(edge, Tensor<T, D>(y * (g - common)));
                          });
}

template <FloatingTensor X>
  requires Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> log_softmax(const X& x, std::int64_t axis = -1) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const Tensor<T, D> y = log_softmax(in.value(), axis);
  return autograd::record(y, autograd::nodes_of(in),
                          [=, edge = in.edge()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            const Tensor<T, D> common = sum(g, axis, keepdims);
                            pass.add(edge, Tensor<T, D>(g - exp(y) * common));
                          });
}

namespace autograd {

/// The gradient of a layer normalisation, computed in `float` at least. With the normalised rows h and u = g weight, that
/// of x is (u - mean(u) - h mean(u h)) / deviation.
template <Element T, Device D>
struct LayerNormGradient {
  Edge<T, D> x, weight, bias;
  Tensor<T, D> in, scale;
  double epsilon;

  void operator()(Pass& pass, const Tensor<T, D>& g) const {
    using W = compute_t<T>;
    if (g.size() == 0) {
      if (x) pass.add(x, zeros<T>(x.shape, D{}));
      if (weight) pass.add(weight, zeros<T>(weight.shape, D{}));
      if (bias) pass.add(bias, zeros<T>(bias.shape, D{}));
      return;
    }
    if (bias) pass.add(bias, sum_to(g, bias.shape));
    if (!x && !weight) return;
    const Tensor<W, D> center = mean(cast<W>(in), -1, keepdims);
    const Tensor<W, D> factor = rsqrt(var(cast<W>(in), -1, keepdims) + epsilon);
    const auto normal = (cast<W>(in) - center) * factor;
    if (weight) pass.add(weight, Tensor<T, D>(cast<T>(sum_to(cast<W>(g) * normal, weight.shape))));
    if (!x) return;
    const auto scaled = cast<W>(g) * cast<W>(scale);
    const Tensor<W, D> level = mean(scaled, -1, keepdims);
    const Tensor<W, D> slope = mean(scaled * normal, -1, keepdims);
    pass.add(x, Tensor<T, D>(cast<T>(factor * (scaled - level - normal * slope))));
  }
};

}  // namespace autograd

template <FloatingTensor X, class W, class B>
  requires Operands<X, W, B> && TensorLike<W> && TensorLike<B> && AnyRecorded<X, W, B>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> layer_norm(const X& x, const W& weight, const B& bias,
                                                               double epsilon = 1e-5) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const Variable<T, D> scale = autograd::as_variable(weight);
  const Variable<T, D> offset = autograd::as_variable(bias);
  const autograd::Edge<T, D> edge = in.edge();
  const bool reads_x = edge || scale.records();
  return autograd::record(
      layer_norm(in.value(), scale.value(), offset.value(), epsilon), autograd::nodes_of(in, scale, offset),
      autograd::LayerNormGradient<T, D>{edge, scale.edge(), offset.edge(), reads_x ? in.value() : Tensor<T, D>(),
                                        autograd::kept_for(edge, scale.value()), epsilon});
}

template <FloatingTensor X, class L>
  requires TensorLike<L> && std::same_as<value_type_t<L>, std::int64_t> && std::same_as<device_t<L>, device_t<X>> &&
           Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> cross_entropy(const X& logits, const L& labels) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(logits);
  const Tensor<std::int64_t, D> index = eval(labels);
  return autograd::record(
      cross_entropy(in.value(), index), autograd::nodes_of(in),
      [=, edge = in.edge(), x = in.value()](autograd::Pass& pass, const Tensor<T, D>& g) {
        const Tensor<std::int64_t, D> classes = arange<std::int64_t>(x.extent(1), D{});
        const Tensor<T, D> probability = softmax(x, 1);
        const Tensor<T, D> each = g / static_cast<double>(x.extent(0));
        pass.add(edge, Tensor<T, D>(where(index(all, newaxis) == classes, probability - 1, probability) * each));
      });
}

template <FloatingTensor X, class... G>
  requires internal::DrawnFromIfAny<G...> && Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> dropout(const X& x, double p = 0.5, G&&... generator) {
  return internal::dropped(autograd::as_variable(x), p, generator...);
}

}  // namespace situ
