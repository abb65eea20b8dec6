// SPDX-License-Identifier: Apache-2.0
// Gradients of matrix products and layers, against differences: vectors, batches that broadcast, transposed operands.
// labels: gradients
#include <doctest/doctest.h>

#include <situ/autograd.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

const auto product = [](const auto& x, const auto& y) { return matmul(x, y); };

TEST_CASE("matrices and vectors") {
  check(product, numbers({3, 4}), numbers({4, 2}));
  check(product, numbers({4}), numbers({4, 2}));
  check(product, numbers({3, 4}), numbers({4}));
  check(product, numbers({4}), numbers({4}));
  check(product, numbers({1, 4}), numbers({4, 1}));
}

TEST_CASE("batches") {
  check(product, numbers({2, 3, 4}), numbers({2, 4, 2}));
  check(product, numbers({2, 3, 4}), numbers({4, 2}));
  check(product, numbers({3, 4}), numbers({2, 4, 2}));
  check(product, numbers({2, 1, 3, 4}), numbers({3, 4, 2}));
  check(product, numbers({2, 3, 4}), numbers({4}));
  check(product, numbers({4}), numbers({2, 4, 2}));
  check(product, numbers({2, 2, 3, 4}), numbers({4, 2}));
}

TEST_CASE("transposed operands") {
  check([](const auto& x, const auto& y) { return matmul(transpose(x), transpose(y)); }, numbers({4, 3}),
        numbers({2, 4}));
  check([](const auto& x, const auto& y) { return matmul(x, transpose(y)); }, numbers({2, 3, 4}), numbers({5, 4}));
  check([](const auto& x, const auto& y) { return matmul(x, transpose(y)); }, numbers({2, 3, 4}), numbers({2, 5, 4}));
  // its gradient is computed as it lies, not transposed and copied back
  const Variable w(numbers({5, 4}));
  const Tensor<double> g = backward(sum(matmul(numbers({3, 4}), transpose(w))))[w];
  CHECK(g.layout().is_row_major());
}

TEST_CASE("dot and outer") {
  check([](const auto& x, const auto& y) { return dot(x, y); }, numbers({5}), numbers({5}, 1, 2));
  check([](const auto& x, const auto& y) { return outer(x, y); }, numbers({3}), numbers({4}));
  check([](const auto& x) { return dot(x, x); }, numbers({5}));
}

TEST_CASE("expressions as operands, and tensors") {
  const Tensor<double> fixed = numbers({3, 2});
  check([&](const auto& x, const auto& y) { return tanh(matmul(fixed, x * y) + y); }, numbers({2, 4}), numbers({4}));
  check([&](const auto& x) { return matmul(x, x); }, numbers({3, 3}));
}

TEST_CASE("linear") {
  const Tensor<double> x = numbers({2, 3, 4}), w = numbers({5, 4}, -1, 1, 3), b = numbers({5}, -1, 1, 4);
  check([](const auto& u, const auto& v) { return linear(u, v); }, x, w);
  check([](const auto& u, const auto& v, const auto& c) { return linear(u, v, c); }, x, w, b);
  check([](const auto& u, const auto& v, const auto& c) { return linear(u, v, c, Activation::relu); }, x, w, b);
  check([](const auto& u, const auto& v, const auto& c) { return linear(u, v, c, Activation::gelu_tanh); }, x, w, b);
  check([](const auto& u, const auto& v) { return linear(u, v, Activation::relu); }, numbers({4}), w);
}

TEST_CASE("no rows") {
  const Variable w(numbers({4, 2})), b(numbers({4}));
  CHECK(elements(backward(sum(matmul(zeros<double>({0, 4}), w)))[w]) == std::vector<double>(8, 0.0));
  const Gradients gradients = backward(sum(linear(zeros<double>({0, 2}), w, b)));
  CHECK(elements(gradients[w]) == std::vector<double>(8, 0.0));
  CHECK(elements(gradients[b]) == std::vector<double>(4, 0.0));
}

TEST_CASE("what is not wanted is not computed") {
  const Variable w(numbers({4, 2}));
  const Variable y = matmul(constant(numbers({3, 4})), w);
  const Gradients gradients = backward(sum(y));
  CHECK(gradients.size() == 1);
  CHECK(!matmul(constant(numbers({3, 4})), constant(numbers({4, 2}))).records());
}

}  // namespace
