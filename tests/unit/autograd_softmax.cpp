// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax, layer normalisation and losses, against differences and analytic values.
// labels: gradients
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include <situ/autograd.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

const Tensor<double> x = numbers({2, 3, 4}, -2, 2);

TEST_CASE("softmax and log_softmax") {
  check([](const auto& v) { return softmax(v); }, x);
  check([](const auto& v) { return softmax(v, 1); }, x);
  check([](const auto& v) { return softmax(v * v, 0); }, x);
  check([](const auto& v) { return log_softmax(v); }, x);
  check([](const auto& v) { return log_softmax(v, 1); }, x);
}

TEST_CASE("layer_norm") {
  const auto norm = [](const auto& v, const auto& w, const auto& b) { return layer_norm(v, w, b); };
  check(norm, x, numbers({4}, 0.5, 1.5), numbers({4}));
  check(norm, numbers({5}), numbers({5}, 0.5, 1.5), numbers({5}));
  check([](const auto& v, const auto& w) { return layer_norm(v, w, numbers({4}), 0.1); }, x, numbers({4}, 0.5, 1.5));
  check([](const auto& v) { return layer_norm(v * 3, numbers({4}, 1, 2), numbers({4})); }, x);
  check([](const auto& b) { return layer_norm(x, numbers({4}, 1, 2), b); }, numbers({4}));
  check(norm, numbers({2, 3, 2}), numbers({3, 2}, 0.5, 1.5), numbers({3, 2}));  // over two axes
}

TEST_CASE("cross_entropy: (softmax - one_hot) / n") {
  const Tensor<double> logits = numbers({3, 4}, -2, 2);
  const Tensor<std::int64_t> labels = tensor({std::int64_t{2}, std::int64_t{0}, std::int64_t{2}});
  check([&](const auto& v) { return cross_entropy(v, labels); }, logits);
  check([&](const auto& v, const auto& w) { return cross_entropy(v * w, labels) * 2; }, logits, numbers({4}, 1, 2));
  const Variable v(logits);
  const Tensor<double> expected = (softmax(logits) - one_hot<double>(labels, 4)) / 3;
  const std::vector<double> want = elements(expected), found = elements(backward(cross_entropy(v, labels))[v]);
  for (std::size_t i = 0; i != want.size(); ++i) CHECK(found[i] == doctest::Approx(want[i]).epsilon(1e-13));
}

TEST_CASE("losses of classes, with options: of what is ignored 0") {
  const Tensor<double> images = numbers({2, 4, 3}, -2, 2), weights = numbers({4}, 0.5, 2);
  const Tensor<std::int64_t> labels = tensor<std::int64_t>({{2, -100, 0}, {3, 2, -100}});
  check([&](const auto& v) { return cross_entropy(v, labels % 4, {.reduction = Reduction::none}); }, images);
  check([&](const auto& v, const auto& w) {
    return cross_entropy(v * 2, labels, w, {.ignore_index = -100, .label_smoothing = 0.2});
  }, images, weights);
  check([&](const auto& w) { return cross_entropy(images, labels, w, {.ignore_index = -100}); }, weights);
  check([&](const auto& v) { return cross_entropy(v, labels, weights, {-100, Reduction::sum}); }, images);
  check([&](const auto& v, const auto& w) { return nll_loss(v, labels, w, {-100, Reduction::none}); }, images, weights);
  check([&](const auto& v) { return nll_loss(v, labels, {.ignore_index = -100}); }, images);
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor masked = tensor({{-infinity, 2.0, 3.0}, {0.5, -1.0, 4.0}});
  const Variable counted(tensor({1.0, 2.0, 3.0}));
  const Tensor<std::int64_t> second = tensor<std::int64_t>({-100, 1});
  for (const double smoothing : {0.0, 0.25}) {
    const Variable loss = cross_entropy(masked, second, counted, {-100, Reduction::sum, smoothing});
    CHECK(all(isfinite(backward(loss)[counted])).item());
  }
  CHECK(all(isfinite(backward(nll_loss(masked, second, counted, {-100, Reduction::sum}))[counted])).item());
  const Variable v(images);
  const Tensor<double> g = backward(cross_entropy(v, labels, {.ignore_index = -100}))[v];
  CHECK(all(g(0, all, 1) == 0.0).item());
  CHECK(all(g(0, all, 0) != 0.0).item());
}

TEST_CASE("mse_loss") {
  check([](const auto& v, const auto& w) { return mse_loss(v, w); }, x, numbers({2, 3, 4}));
  check([](const auto& v) { return mse_loss(v, 1); }, x);
  CHECK_THROWS_AS(static_cast<void>(mse_loss(Variable(x), numbers({4}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(mse_loss(x, Variable(x) * 2 - Variable(numbers({2, 2, 3, 4})))), ShapeError);
  check([](const auto& v) { return mse_loss(x * 2, v); }, x);
}

TEST_CASE("nll_loss, huber_loss, bce_loss, bce_with_logits_loss") {
  const Tensor<std::int64_t> labels = tensor({std::int64_t{2}, std::int64_t{0}, std::int64_t{2}});
  check([&](const auto& v) { return nll_loss(log_softmax(v), labels); }, numbers({3, 4}, -2, 2));
  check([](const auto& v, const auto& w) { return huber_loss(v, w, 0.75); }, x, numbers({2, 3, 4}, -2, 2, 3));
  check([](const auto& v, const auto& w) { return bce_loss(v, w); }, numbers({5}, 0.1, 0.9), numbers({5}, 0, 1, 3));
  check([](const auto& v, const auto& w) { return bce_with_logits_loss(v * 3, w); }, x, numbers({2, 3, 4}, 0, 1));
  // where the logarithm of 0 stands, and where max(x, 0) and |x| have a corner
  const Variable p(tensor({0.0, 1.0, 1.0})), logits(tensor({0.0, 1000.0, -1000.0}));
  const Tensor<double> truth = tensor({1.0, 1.0, 0.0});
  CHECK(elements(backward(bce_loss(p, truth))[p]) == std::vector<double>{-1e12 / 3, 0.0, 1e12 / 3});
  CHECK(elements(backward(bce_with_logits_loss(logits, truth) * 3)[logits]) == std::vector<double>{-0.5, 0.0, 0.0});
}

TEST_CASE("no rows, no columns") {
  const Variable v(zeros<double>({0, 4})), w(ones<double>({4}));
  CHECK(backward(sum(softmax(v)))[v].shape() == Shape{0, 4});
  const Gradients gradients = backward(sum(layer_norm(v, w, w)));
  CHECK(gradients[v].shape() == Shape{0, 4});
  CHECK(elements(gradients[w]) == std::vector<double>(4, 0.0));
}

TEST_CASE("16-bit floats: the statistics are computed in float") {
  const Tensor<float> wide = cast<float>(numbers({2, 8}, 900, 1100));
  const Variable v(wide);
  const Variable h(Tensor<float16>(cast<float16>(wide)));
  const Tensor<float> ones_f = ones<float>({8}), zeros_f = zeros<float>({8});
  const Tensor<float> weights = cast<float>(numbers({2, 8}));
  const Tensor<float> g = backward(sum(layer_norm(v, ones_f, zeros_f) * weights))[v];
  const Variable y = layer_norm(h, Tensor<float16>(cast<float16>(ones_f)), Tensor<float16>(cast<float16>(zeros_f)));
  const Tensor<float16> gh = backward(sum(cast<float>(y) * weights))[h];
  for (std::int64_t i = 0; i < 8; ++i) CHECK(static_cast<float>(gh(0, i)) == doctest::Approx(g(0, i)).epsilon(0.02));
}

}  // namespace
