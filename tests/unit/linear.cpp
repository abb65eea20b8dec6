// SPDX-License-Identifier: Apache-2.0
// linear against its definition: shapes, layouts, activations, no bias, nothing to add up.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::message_of;

namespace {

template <class T>
Tensor<T> pattern(const Shape& shape, double scale) {
  return eval(cast<T>((reference::counting<double>(shape) % 13.0 - 6.0) * scale));
}

/// The largest difference from activation(x W^T + b) in double, relative to 1 + the value.
template <class T>
double difference(const Tensor<T>& y, const Tensor<T>& x, const Tensor<T>& w, const Tensor<T>* b, Activation activation) {
  Tensor<double> expected = matmul(cast<double>(x), transpose(cast<double>(w)));
  if (b != nullptr) expected = expected + cast<double>(*b);
  if (activation == Activation::relu) expected = maximum(expected, 0.0);
  if (activation == Activation::gelu_tanh)
    expected = expected / 2.0 * (1.0 + tanh(std::sqrt(2 / 3.14159265358979323846) * (expected + 0.044715 * expected * expected * expected)));
  CHECK(y.shape() == expected.shape());
  return max(abs(cast<double>(y) - expected) / (1.0 + abs(expected))).item();
}

template <class T>
constexpr double tolerance = OneOf<T, float16> ? 0x1p-9 : OneOf<T, bfloat16> ? 0x1p-6 : OneOf<T, float> ? 1e-5 : 1e-13;

}  // namespace

TEST_CASE_TEMPLATE("linear is activation(x W^T + b)", T, float16, bfloat16, float, double) {
  const Tensor<T> w = pattern<T>({5, 7}, 0.125);
  const Tensor<T> b = pattern<T>({5}, 0.25);
  for (const Shape& shape : {Shape{7}, Shape{1, 7}, Shape{4, 7}, Shape{2, 3, 7}}) {
    const Tensor<T> x = pattern<T>(shape, 0.0625);
    for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu_tanh}) {
      CHECK(difference(linear(x, w, b, activation), x, w, &b, activation) <= tolerance<T>);
      CHECK(difference<T>(linear(x, w, activation), x, w, nullptr, activation) <= tolerance<T>);
      const Tensor<T> other_order = transpose(contiguous(transpose(w)));
      CHECK(array_of(linear(x, other_order, flip(contiguous(flip(b))), activation)) == array_of(linear(x, w, b, activation)));
    }
  }
}

TEST_CASE("linear without inputs is its bias, and of no rows nothing") {
  const Tensor b = tensor({-1.f, 2.f});
  const Tensor y = linear(ones<float>({3, 0}), ones<float>({2, 0}), b, Activation::relu);
  CHECK(array_of(y) == array_of(tensor({{0.f, 2.f}, {0.f, 2.f}, {0.f, 2.f}})));
  CHECK(linear(ones<float>({0, 4}), ones<float>({2, 4}), b).shape() == Shape{0, 2});
}

TEST_CASE("linear says which shapes do not fit") {
  const Tensor x = ones<float>({3, 4});
  const Tensor w = ones<float>({2, 4});
  CHECK_THROWS_AS(static_cast<void>(linear(x, transpose(w))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(linear(x, w, ones<float>({3}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(linear(x, ones<float>({4}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(linear(x, w, ones<float>({1, 2}))), ShapeError);
  CHECK(contains(message_of([&] { static_cast<void>(linear(x, transpose(w))); }), "(3, 4)"));
  CHECK(contains(message_of([&] { static_cast<void>(linear(x, transpose(w))); }), "(out, in)"));
  CHECK(contains(message_of([&] { static_cast<void>(linear(x, w, ones<float>({3}))); }), "must be (2,)"));
}

TEST_CASE("a precision that the CPU does not have changes nothing") {
  const Tensor a = pattern<float>({9, 8}, 0.1);
  const Tensor b = pattern<float>({8, 7}, 0.1);
  CHECK(array_of(matmul(a, b, Precision::tf32)) == array_of(matmul(a, b)));
}
