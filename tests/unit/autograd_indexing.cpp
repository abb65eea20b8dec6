// SPDX-License-Identifier: Apache-2.0
// Gradients through indices and order, against differences: indices that repeat, that broadcast, that are written over.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/distance.hpp>
#include <situ/einsum.hpp>
#include <situ/indexing.hpp>

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

template <ScatterReduction How>
void check_reduction() {
  const Tensor<Index> places = tensor({{Index{2}, Index{0}, Index{2}}, {Index{1}, Index{1}, Index{-1}}});
  for (const IncludeSelf self : {IncludeSelf::yes, IncludeSelf::no}) {
    check([&](const auto& v, const auto& s) { return scatter_reduce<How>(v, 1, places, s, self); }, numbers({2, 4}),
          numbers({2, 3}, -1, 1, 9));
    check([&](const auto& s) { return scatter_reduce<How>(numbers({2, 4}), 1, places, s * s, self); }, numbers({3}));
  }
}
TEST_CASE("scatter_reduce") {
  check_reduction<ScatterReduction::sum>();
  check_reduction<ScatterReduction::prod>();
  check_reduction<ScatterReduction::max>();
  check_reduction<ScatterReduction::mean>();
}

TEST_CASE("scatter_reduce: a product with zeros, and extrema that several share, as in PyTorch") {
  using Numbers = std::vector<double>;
  const Tensor<Index> places = tensor({Index{0}, Index{0}, Index{1}, Index{1}, Index{2}});
  const Variable v(tensor({2.0, 3.0, 0.0})), s(tensor({0.0, 5.0, 0.0, 0.0, 7.0}));
  const auto product = backward(sum(scatter_reduce<ScatterReduction::prod>(v, 0, places, s)));
  CHECK(elements(product[v]) == Numbers{0, 0, 7});
  CHECK(elements(product[s]) == Numbers{10, 0, 0, 0, 0});
  const Variable r(tensor({1.0, 4.0, 3.0})), y(tensor({1.0, 1.0, 4.0, 2.0, 5.0}));
  const auto best = backward(sum(scatter_reduce<ScatterReduction::max>(r, 0, places, y)));
  CHECK(elements(best[r]) == Numbers{1.0 / 3, 0.5, 0});
  CHECK(elements(best[y]) == Numbers{1.0 / 3, 1.0 / 3, 0.5, 0, 1});
  const auto least = backward(sum(scatter_reduce<ScatterReduction::min>(r, 0, places, y, IncludeSelf::no)));
  CHECK(elements(least[r]) == Numbers{0, 0, 0});
  CHECK(elements(least[y]) == Numbers{0.5, 0.5, 0, 1, 1});
}

TEST_CASE("scatter_reduce: an extremum that is NaN has its gradient from the elements that are") {
  using Numbers = std::vector<double>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor<Index> places = tensor({Index{0}, Index{0}, Index{1}, Index{1}, Index{2}});
  const Variable r(tensor({nan, 4.0, 3.0})), y(tensor({1.0, nan, nan, 2.0, 5.0}));
  const auto best = backward(sum(scatter_reduce<ScatterReduction::max>(r, 0, places, y)));
  CHECK(elements(best[r]) == Numbers{0.5, 0, 0});
  CHECK(elements(best[y]) == Numbers{0, 0.5, 1, 0, 1});
  const auto least = backward(sum(scatter_reduce<ScatterReduction::min>(r, 0, places, y, IncludeSelf::no)));
  CHECK(elements(least[r]) == Numbers{0, 0, 0});
  CHECK(elements(least[y]) == Numbers{0, 1, 1, 0, 1});
}

TEST_CASE("positions, coordinates, masks") {
  const Tensor<Index> i = tensor({Index{1}, Index{0}, Index{1}, Index{1}});
  const Tensor<Index> j = tensor({Index{2}, Index{0}, Index{2}, Index{-2}});
  check([&](const auto& v) { return v(i, j); }, x);
  check([&](const auto& v) { return gather_nd(v, stack(i, j, -1)); }, x);
  check([&](const auto& v, const auto& s) { return index_put(v, {i, j}, s); }, x, numbers({4, 4}));
  check([&](const auto& v, const auto& s) { return index_put(v, {i, j}, s, Accumulate::yes); }, x, numbers({4}));
  check([&](const auto& v, const auto& s) { return index_add(v, 1, j, s); }, x, numbers({2, 4, 1}));
  check([&](const auto& v, const auto& s) { return index_copy(v, 1, j, s); }, x, numbers({2, 4, 4}));
  check([&](const auto& v, const auto& s) { return masked_scatter(v, x > 0, s); }, x, numbers({30}));
  check([](const auto& a, const auto& b) { return meshgrid(a, b)[1] * meshgrid(a, b)[0]; }, numbers({2}), numbers({3}));
}

TEST_CASE("tensordot and cdist") {
  check([](const auto& a, const auto& b) { return tensordot(a, b, {1, 0}, {0, 2}); }, x, numbers({3, 2, 2}));
  check([](const auto& a, const auto& b) { return cdist(a, b); }, x, numbers({5, 4}, -1, 1, 3));
  check([](const auto& a, const auto& b) { return cdist(a, b, NormOrder{1}); }, x, numbers({5, 4}, -1, 1, 3));
  check([](const auto& a, const auto& b) { return cdist(a, b, NormOrder{std::numeric_limits<double>::infinity()}); }, x,
        numbers({5, 4}, -1, 1, 3));
  const Variable points(x(0, all));
  for (const double g : elements(backward(sum(cdist(points, points.value())))[points])) CHECK(g == g);
}

TEST_CASE("order") {
  check([](const auto& v) { return sort(v); }, x);
  check([](const auto& v) { return sort(v, 1, true) * 2; }, x);
  check([](const auto& v) { return topk(v, 2).values; }, x);
  check([](const auto& v) { return topk(v, 2, 1).values; }, x);
  check([](const auto& v) { return topk(v, 2, 0, false).values; }, x);
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
