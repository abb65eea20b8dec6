// SPDX-License-Identifier: Apache-2.0
// An empty list of axes names none: what reduces, flips or squeezes leaves everything as it is, as NumPy with
// `axis=()`. Braces without anything between them are the default, all axes.
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <situ/autograd.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

using namespace situ;

TEST_CASE("an empty list of axes reduces nothing") {
  const std::vector<std::int64_t> list;
  const ReduceAxes none{std::span<const std::int64_t>(list)};
  const Tensor<float> x = tensor({{{1.f, -2.f, 0.f}}, {{3.f, 0.5f, -4.f}}});  // (2, 1, 3)
  const Shape shape = x.shape();
  struct Case {
    std::string name;
    std::function<Tensor<float>(const ReduceAxes&)> reduce;
    Tensor<float> wanted;
  };
  const std::vector<Case> cases{
      {"sum", [&](const ReduceAxes& a) { return sum(x, a); }, x},
      {"sum of an expression", [&](const ReduceAxes& a) { return sum(x * 2.f, a); }, x * 2.f},
      {"sum, keepdims", [&](const ReduceAxes& a) { return sum(x, a, keepdims); }, x},
      {"prod", [&](const ReduceAxes& a) { return prod(x, a); }, x},
      {"mean", [&](const ReduceAxes& a) { return mean(x, a); }, x},
      {"min", [&](const ReduceAxes& a) { return min(x, a); }, x},
      {"max", [&](const ReduceAxes& a) { return max(x, a); }, x},
      {"var", [&](const ReduceAxes& a) { return var(x, a); }, zeros<float>(shape)},
      {"stddev", [&](const ReduceAxes& a) { return stddev(x, a); }, zeros<float>(shape)},
      {"norm", [&](const ReduceAxes& a) { return norm(x, a); }, abs(x)},
      {"norm of order 1", [&](const ReduceAxes& a) { return norm(x, a, NormOrder{1}); }, abs(x)},
      {"norm of order infinity", [&](const ReduceAxes& a) { return norm(x, a, NormOrder{INFINITY}); }, abs(x)},
      {"logsumexp", [&](const ReduceAxes& a) { return logsumexp(x, a); }, x},
      {"median", [&](const ReduceAxes& a) { return median(x, a); }, x},
      {"quantile", [&](const ReduceAxes& a) { return quantile(x, 0.25, a); }, x},
      {"any", [&](const ReduceAxes& a) { return eval(cast<float>(any(x, a))); }, cast<float>(x != 0.f)},
      {"all", [&](const ReduceAxes& a) { return eval(cast<float>(all(x, a))); }, cast<float>(x != 0.f)},
      {"count_nonzero", [&](const ReduceAxes& a) { return eval(cast<float>(count_nonzero(x, a))); },
       cast<float>(x != 0.f)},
  };
  for (const Case& of : cases) {
    CAPTURE(of.name);
    const Tensor<float> found = of.reduce(none);
    CHECK(found.shape() == shape);
    CHECK(allclose(found, of.wanted).item());
    CHECK(of.reduce(ReduceAxes()).size() == 1);
    CHECK(of.reduce({}).size() == 1);
  }
  CHECK(quantile(x, {0.0, 1.0}, none).shape() == Shape{2, 2, 1, 3});
  CHECK(all(isnan(var(x, none, Ddof{1}))).item());
  CHECK(sum(tensor(7.f), none).item() == 7.f);
  CHECK(max(zeros<float>({0, 3}), none).shape() == Shape{0, 3});  // nothing is asked of no elements
}

TEST_CASE("an empty list of axes flips, squeezes and inserts nothing") {
  const std::vector<std::int64_t> list;
  const ReduceAxes none{std::span<const std::int64_t>(list)};
  const Tensor<float> x = tensor({{1.f, 2.f, 3.f}});
  CHECK(array_equal(flip(x, none), x).item());
  CHECK(array_equal(flip(x, {}), tensor({{3.f, 2.f, 1.f}})).item());
  CHECK(squeeze(x, none).shape() == Shape{1, 3});
  CHECK(squeeze(zeros<float>({2, 3}), none).shape() == Shape{2, 3});
  CHECK(unsqueeze(x, {}).shape() == Shape{1, 3});
  CHECK(permute(tensor(1.f), list).rank() == 0);
  CHECK_THROWS_AS(static_cast<void>(permute(x, list)), IndexError);
}

TEST_CASE("the gradient of what reduces nothing") {
  const std::vector<std::int64_t> list;
  const ReduceAxes none{std::span<const std::int64_t>(list)};
  const Variable x{tensor({1.f, -2.f, 3.f})};
  const auto gradients = backward(sum(sum(x, none) * tensor({1.f, 2.f, 3.f}) + norm(x, none) + logsumexp(x, none)));
  CHECK(allclose(gradients[x], tensor({3.f, 2.f, 5.f})).item());
}
