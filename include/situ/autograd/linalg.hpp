// SPDX-License-Identifier: Apache-2.0
// Products of variables: matmul, dot, outer, linear.
#pragma once

#include <utility>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/activation.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/linear.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

namespace autograd {

/// Whether matrices lie column by column, as a transposed view does.
template <Element T, Device D>
[[nodiscard]] bool lies_transposed(const Tensor<T, D>& matrices) {
  return matrices.stride(-2) == 1 && matrices.stride(-1) != 1;
}

/// `matmul(a, b)`, laid out column by column if asked: the gradient of a transposed operand, which is transposed back.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> product(const Tensor<T, D>& a, const Tensor<T, D>& b, bool transposed, Precision precision) {
  return transposed ? transpose(matmul(transpose(b), transpose(a), precision)) : matmul(a, b, precision);
}

/// The rows of all matrices of a batch under one another.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> rows_of_batch(const Tensor<T, D>& matrices) {
  return reshape(matrices, {matrices.size() / matrices.extent(-1), matrices.extent(-1)});
}

/// The gradient of `matmul(a, b)`.
template <Element T, Device D>
struct MatmulGradient {
  Edge<T, D> a, b;
  Tensor<T, D> left, right;  // each as far as the gradient of the other is wanted
  Precision precision;

  void operator()(Pass& pass, Tensor<T, D> g) const {
    if (b.shape.rank() == 1) g = unsqueeze(g, -1);
    if (a.shape.rank() == 1) g = unsqueeze(g, -2);
    if (a) {
      const Tensor<T, D> other = b.shape.rank() == 1 ? unsqueeze(right, 1) : right;
      Shape shape = a.shape;
      if (shape.rank() == 1) shape.insert(0, 1);
      pass.add(a, reshape(sum_to(product(g, transpose(other), a_lies_transposed, precision), shape), a.shape));
    }
    if (b) {
      const Tensor<T, D> other = a.shape.rank() == 1 ? unsqueeze(left, 0) : left;
      Shape shape = b.shape;
      if (shape.rank() == 1) shape.insert(1, 1);
      if (shape.rank() == 2 && other.rank() > 2 && other.rank() == g.rank() && g.size() > 0 && other.size() > 0) {
        // one matrix for a batch: one product over all rows, not a product for each and their sum
        const Tensor<T, D> rows = rows_of_batch(other);
        pass.add(b, reshape(product(transpose(rows), rows_of_batch(g), b_lies_transposed, precision), b.shape));
      } else {
        pass.add(b, reshape(sum_to(product(transpose(other), g, b_lies_transposed, precision), shape), b.shape));
      }
    }
  }

  bool a_lies_transposed = false;
  bool b_lies_transposed = false;
};

}  // namespace autograd

template <class A, class B>
  requires internal::Multipliable<A, B> && AnyRecorded<A, B>
[[nodiscard]] Variable<value_type_t<A>, device_t<A>> matmul(const A& a, const B& b,
                                                           Precision precision = Precision::full) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  const Variable<T, D> left = autograd::as_variable(a);
  const Variable<T, D> right = autograd::as_variable(b);
  Tensor<T, D> value = matmul(left.value(), right.value(), precision);
  autograd::MatmulGradient<T, D> pull{left.edge(), right.edge(), autograd::kept_for(right.edge(), left.value()),
                                      autograd::kept_for(left.edge(), right.value()), precision};
  pull.a_lies_transposed = left.rank() > 1 && autograd::lies_transposed(left.value());
  pull.b_lies_transposed = right.rank() > 1 && autograd::lies_transposed(right.value());
  return autograd::record(std::move(value), autograd::nodes_of(left, right), std::move(pull));
}

template <class A, class B>
  requires internal::Multipliable<A, B> && AnyRecorded<A, B>
[[nodiscard]] Variable<value_type_t<A>, device_t<A>> dot(const A& a, const B& b) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  const Variable<T, D> left = autograd::as_variable(a);
  const Variable<T, D> right = autograd::as_variable(b);
  return autograd::record(dot(left.value(), right.value()), autograd::nodes_of(left, right),
                          [a = left.edge(), b = right.edge(), x = autograd::kept_for(right.edge(), left.value()),
                           y = autograd::kept_for(left.edge(), right.value())](autograd::Pass& pass,
                                                                               const Tensor<T, D>& g) {
                            if (a) pass.add(a, Tensor<T, D>(g * y));
                            if (b) pass.add(b, Tensor<T, D>(g * x));
                          });
}

template <class A, class B>
  requires internal::Multipliable<A, B> && AnyRecorded<A, B>
[[nodiscard]] Variable<value_type_t<A>, device_t<A>> outer(const A& a, const B& b) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  const Variable<T, D> left = autograd::as_variable(a);
  const Variable<T, D> right = autograd::as_variable(b);
  return autograd::record(outer(left.value(), right.value()), autograd::nodes_of(left, right),
                          [a = left.edge(), b = right.edge(), x = autograd::kept_for(right.edge(), left.value()),
                           y = autograd::kept_for(left.edge(), right.value())](autograd::Pass& pass,
                                                                               const Tensor<T, D>& g) {
                            if (a) pass.add(a, matmul(g, y));
                            if (b) pass.add(b, matmul(transpose(g), x));
                          });
}

namespace autograd {

/// The gradient of `activation(x W^T + b)`, with no activation or `relu`, whose derivative the result tells.
template <Element T, Device D>
struct LinearGradient {
  Edge<T, D> x, weight, bias;
  Tensor<T, D> in, matrix;  // each as far as the gradient of the other is wanted
  Tensor<T, D> result;      // for relu
  Precision precision;

  void operator()(Pass& pass, Tensor<T, D> g) const {
    if (result.size() > 0) g = where(result <= T(0), T(0), g);
    if (bias) pass.add(bias, sum_to(g, bias.shape));
    if (x) pass.add(x, matmul(g, matrix, precision));
    if (!weight) return;
    if (g.size() == 0 || in.size() == 0) pass.add(weight, zeros<T>(weight.shape, D{}));
    else pass.add(weight, matmul(transpose(rows_of_batch(g)), rows_of_batch(in), precision));
  }
};

template <Element T, Device D>
[[nodiscard]] Variable<T, D> linear(const Variable<T, D>& x, const Variable<T, D>& weight, const Variable<T, D>* bias,
                                    Activation activation, Precision precision) {
  // the derivative of gelu_tanh reads the sum, which is stored for it, and the activation is a pass apart
  const bool reads_sum = activation == Activation::gelu_tanh;
  const Activation fused = reads_sum ? Activation::none : activation;
  const Tensor<T, D>* const added_value = bias != nullptr ? &bias->value() : nullptr;
  const Tensor<T, D> value = situ::internal::linear<T, D>(x.value(), weight.value(), added_value, fused, precision);
  const Variable<T, D> added = bias != nullptr ? *bias : Variable<T, D>();
  const Variable<T, D> result =
      record(value, nodes_of(x, weight, added),
             LinearGradient<T, D>{x.edge(), weight.edge(), added.edge(), kept_for(weight.edge(), x.value()),
                                  kept_for(x.edge(), weight.value()),
                                  fused == Activation::relu ? value : Tensor<T, D>(), precision});
  return reads_sum ? Variable<T, D>(gelu_tanh(result)) : result;
}

}  // namespace autograd

template <class X, class W, class B>
  requires internal::Multipliable<X, W> && internal::Multipliable<X, B> && FloatingElement<value_type_t<X>> &&
           AnyRecorded<X, W, B>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> linear(const X& x, const W& weight, const B& bias,
                                                           Activation activation = Activation::none,
                                                           Precision precision = Precision::full) {
  const Variable<value_type_t<X>, device_t<X>> added = autograd::as_variable(bias);
  return autograd::linear(autograd::as_variable(x), autograd::as_variable(weight), &added, activation, precision);
}
template <class X, class W>
  requires internal::Multipliable<X, W> && FloatingElement<value_type_t<X>> && AnyRecorded<X, W>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> linear(const X& x, const W& weight,
                                                           Activation activation = Activation::none,
                                                           Precision precision = Precision::full) {
  using V = Variable<value_type_t<X>, device_t<X>>;
  return autograd::linear(autograd::as_variable(x), autograd::as_variable(weight), static_cast<const V*>(nullptr),
                          activation, precision);
}

}  // namespace situ
