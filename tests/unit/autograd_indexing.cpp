// SPDX-License-Identifier: Apache-2.0
// Gradients through indices and order, against differences: indices that repeat, that broadcast, that are written over.
#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include <situ/autograd.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

using Index = std::int64_t;
const Tensor<double> x = numbers({2, 3, 4});

TEST_CASE("take") {
  const Tensor<Index> list = tensor({Index{2}, Index{0}, Index{2}, Index{-1}});
  check([&](const auto& v) { return take(v, list, 1); }, x);
  check([&](const auto& v) { return take(v, reshape(list, {2, 2}), -1) * 2; }, x);
  check([&](const auto& v) { return take(v * v, tensor({Index{1}}), 0); }, x);
  const Variable table(numbers({3, 2}));
  CHECK(elements(backward(sum(take(table, list, 0)))[table]) == std::vector<double>{1, 1, 0, 0, 3, 3});
}

TEST_CASE("gather") {
  const Tensor<Index> places =
      tensor({{{Index{2}, Index{0}, Index{2}, Index{1}}}, {{Index{0}, Index{0}, Index{0}, Index{-1}}}});
  check([&](const auto& v) { return gather(v, 1, places); }, x);
  check([&](const auto& v) { return gather(v, 2, places(all, all, range(0, 3))); }, x);  // broadcasts along axis 1
  check([&](const auto& v) { return gather(v, 1, tensor({{{Index{1}}}})); }, x);
  check([&](const auto& v) { return gather(v, 1, places); }, numbers({1, 3, 4}));  // of an operand that broadcasts
}

TEST_CASE("scatter: what is written over gets no gradient") {
  const Tensor<Index> places = tensor({{Index{2}, Index{0}, Index{2}}, {Index{1}, Index{1}, Index{1}}});
  check([&](const auto& v, const auto& s) { return scatter(v, 1, places, s); }, numbers({2, 4}), numbers({2, 3}));
  check([&](const auto& v, const auto& s) { return scatter(v, 1, places, s); }, numbers({2, 4}), numbers({2, 1}));
  check([&](const auto& s) { return scatter(zeros<double>({2, 4}), 1, places, s); }, numbers({3}));
  check([&](const auto& v) { return scatter(v, 1, tensor({{Index{1}}}), ones<double>({1, 1})); }, numbers({2, 4}));
}

TEST_CASE("scatter_add") {
  const Tensor<Index> places = tensor({{Index{2}, Index{0}, Index{2}}, {Index{1}, Index{1}, Index{-1}}});
  check([&](const auto& v, const auto& s) { return scatter_add(v, 1, places, s); }, numbers({2, 4}), numbers({2, 3}));
  check([&](const auto& v, const auto& s) { return scatter_add(v, 1, places, s * s); }, numbers({2, 4}), numbers({3}));
}

TEST_CASE("order") {
  check([](const auto& v) { return sort(v); }, x);
  check([](const auto& v) { return sort(v, 1, true) * 2; }, x);
  check([](const auto& v) { return topk(v, 2).values; }, x);
  check([](const auto& v) { return topk(v, 2, 1).values; }, x);
  const Variable v(x);
  static_assert(std::is_same_v<decltype(argsort(v)), Tensor<Index>>);
  static_assert(std::is_same_v<decltype(topk(v, 2).indices), Tensor<Index>>);
  CHECK(argsort(v * 1)(0, 0, 0) == argsort(x)(0, 0, 0));
}

TEST_CASE("indices out of range throw as for tensors") {
  const Variable v(x);
  CHECK_THROWS_AS(static_cast<void>(take(v, tensor({Index{3}}), 1)), IndexError);
}

}  // namespace
