// SPDX-License-Identifier: Apache-2.0
// Gradients through views, parts, joins and frames, against differences.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <situ/autograd.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

const Tensor<double> x = numbers({2, 3, 4});

TEST_CASE("shapes") {
  check([](const auto& v) { return reshape(v, {4, -1}) * 2; }, x);
  check([](const auto& v) { return reshape(transpose(v), Shape{24}); }, x);
  check([](const auto& v) { return flatten(v, 1); }, x);
  check([](const auto& v) { return contiguous(transpose(v)); }, x);
  check([](const auto& v) { return squeeze(unsqueeze(v, 1)); }, x);
  check([](const auto& v) { return squeeze(v, 1) * unsqueeze(squeeze(v), -1); }, numbers({3, 1}));
  check([](const auto& v) { return squeeze(unsqueeze(v, {0, -1}), {-1, 0}); }, x);
  check([](const auto& v) { return broadcast_to(v, {2, 3, 4}); }, numbers({3, 1}));
}

TEST_CASE("orders of axes and along them") {
  check([](const auto& v) { return permute(v, {2, 0, 1}); }, x);
  check([](const auto& v) { return permute(v, {-1, 1, 0}); }, x);
  check([](const auto& v) { return transpose(v); }, x);
  check([](const auto& v) { return transpose(v, 0, 2); }, x);
  check([](const auto& v) { return flip(v); }, x);
  check([](const auto& v) { return flip(v, 1); }, x);
  check([](const auto& v) { return flip(v, {0, -1}); }, x);
  check([](const auto& v) { return roll(v, 3, 2); }, x);
  check([](const auto& v) { return moveaxis(v, 0, -1) * swapaxes(moveaxis(v, -1, 0), 0, 1)(1, 0, 0); }, x);
  check([](const auto& v) { return diff(v) + diff(v * v, 1)(all, 0, newaxis, range(0, 3)); }, x);
  check([](const auto& v) { return repeat(v, 3, 1) * 2; }, x);
  check([](const auto& v) { return repeat(v * v, 2); }, x);
  check([](const auto& v) { return trace(v) + trace(v * v, 1); }, x);
  check([](const auto& v) { return roll(v, -5); }, x);
}

TEST_CASE("parts") {
  check([](const auto& v) { return v(1, all); }, x);
  check([](const auto& v) { return v(all, range(2, IndexRange::none, -2), newaxis, 1); }, x);
  check([](const auto& v) { return exp(v(all, all, range(0, 2))) * v(all, all, range(2, 4)); }, x);
  check([](const auto& v) { return diagonal(v, 1); }, x);
  check([](const auto& v) { return diagonal(v, -1) + diagonal(v)(all, range(0, 2)); }, x);
  check([](const auto& v) { return split(v, 2, -1)[1] * split(v, {1, 3}, 2)[0]; }, x);
  // a variable is read by positions for all axes too
  const Variable v(x);
  const Variable element = v(1, 2, 3);
  CHECK(element.rank() == 0);
  CHECK(backward(element * element)[v](1, 2, 3) == doctest::Approx(2 * x(1, 2, 3)));
  CHECK(backward(element * element)[v](0, 2, 3) == 0);
}

TEST_CASE("parts that are read several times add up in one tensor") {
  const Variable v(numbers({64, 3}));
  Variable<double> total = constant(zeros<double>({3}));
  for (int i = 0; i < 64; ++i) total = total + v(i, all) * (i + 1.0);
  const Tensor<double> g = backward(sum(total))[v];
  CHECK(g(0, 0) == 1);
  CHECK(g(63, 2) == 64);
}

TEST_CASE("joins") {
  check([](const auto& v, const auto& w) { return concat(v, w, -1); }, x, numbers({2, 3, 1}));
  check([](const auto& v) { return concat(v, v * v, x, 1) * 2; }, x);
  check([](const auto& v) { return concat({v, v}, 1) + reshape(stack({v, v}), {2, -1, 4}); }, x);
  check([](const auto& v, const auto& w) { return stack(v, w, v); }, x, numbers({2, 3, 4}));
  check([](const auto& v) { return stack(v, exp(v), -1); }, x);
  const Variable v(x), w(numbers({2, 3, 4}));
  const std::vector<Variable<double>> list{v, constant(x), w, v};
  CHECK(elements(backward(sum(concat(list, 1)))[v]) == std::vector<double>(24, 2.0));
  CHECK(elements(backward(sum(stack(list, -1) * 3))[w]) == std::vector<double>(24, 3.0));
}

TEST_CASE("tiles, frames and triangles") {
  check([](const auto& v) { return tile(v, {2, 1, 3}); }, x);
  check([](const auto& v) { return tile(v, {2, 2, 1, 2}); }, numbers({3, 2}));
  check([](const auto& v) { return pad(v, {{1, 0}, {0, 2}, {1, 1}}); }, x);
  check([](const auto& v) { return pad(v, {{1, 1}}, 0.5) * 2; }, numbers({3}));
  check([](const auto& v) { return tril(v, 1); }, x);
  check([](const auto& v) { return triu(v); }, x);
  check([](const auto& v) { return diag(v, -1); }, numbers({3}));
}

TEST_CASE("parts of an axis known at run time") {
  check([](const auto& v) { return narrow(v, -1, 1, 2) * select(v, 2, 0)(all, all, newaxis); }, x);
  check([](const auto& v) { return v(std::vector<IndexItem>{all, 1}); }, x);
}

TEST_CASE("frames of what the tensor has") {
  for (const PadMode mode : {PadMode::reflect, PadMode::symmetric, PadMode::edge, PadMode::wrap}) {
    check([&](const auto& v) { return pad(v, {{1, 0}, {2, 1}, {0, 3}}, mode); }, x);
  }
}

TEST_CASE("to another device and back") {
  check([](const auto& v) { return (v * 2).to(pinned).to(cpu) * v; }, x);
  const Variable<double, Pinned> p(x.to<Pinned>());
  const Variable<double> y = (p * p).to(cpu);
  static_assert(std::same_as<decltype(backward(sum(y))[p]), Tensor<double, Pinned>&>);
  CHECK(backward(sum(y))[p].to(cpu)(0, 0, 0) == doctest::Approx(2 * x(0, 0, 0)));
}

TEST_CASE("errors are those of tensors") {
  const Variable v(x);
  CHECK(reshape(v, std::vector<int>{-1, 4}).shape() == Shape{6, 4});
  CHECK_THROWS_AS(static_cast<void>(reshape(v, {5, 5})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(v(2, all)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(concat(v, Variable(numbers({1})))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(v + numbers({5})), ShapeError);
}

}  // namespace
