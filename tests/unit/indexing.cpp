// SPDX-License-Identifier: Apache-2.0
// Reductions at indices, coordinate lists, grids, contractions and distances: what golden/indexing.cpp does not show.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/distance.hpp>
#include <situ/einsum.hpp>
#include <situ/indexing.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::message_of;

namespace {

template <class T>
std::vector<T> list(const Tensor<T>& x) {
  return std::vector<T>(x.begin(), x.end());
}

}  // namespace

TEST_CASE("scatter_reduce of integers wraps, and their mean is rounded down") {
  const Tensor x = tensor<std::uint8_t>({200, 7, 3});
  const Tensor at = tensor({0, 1, 1, 0});
  const Tensor source = tensor<std::uint8_t>({100, 2, 90, 9});
  using Bytes = std::vector<std::uint8_t>;
  CHECK(list(scatter_reduce<ScatterReduction::sum>(x, 0, at, source)) == Bytes{53, 99, 3});
  CHECK(list(scatter_reduce<ScatterReduction::prod>(x, 0, at, source)) == Bytes{32, 236, 3});
  CHECK(list(scatter_reduce<ScatterReduction::min>(x, 0, at, source)) == Bytes{9, 2, 3});
  CHECK(list(scatter_reduce<ScatterReduction::max>(x, 0, at, source, IncludeSelf::no)) == Bytes{100, 90, 3});
  const Tensor below = tensor({-4, 3, 1});
  CHECK(list(scatter_reduce<ScatterReduction::mean>(below, 0, tensor({0, 1}), tensor({-3, 0}))) ==
        std::vector<int>{-4, 1, 1});
  CHECK(list(scatter_reduce<ScatterReduction::mean>(below, 0, tensor({0, 0}), tensor({-3, 0}), IncludeSelf::no)) ==
        std::vector<int>{-2, 3, 1});
}

TEST_CASE("scatter_reduce: NaN is the extremum, 16-bit floats round after each element, a mean counts more than they can") {
  const float nan = std::nanf("");
  const Tensor best = scatter_reduce<ScatterReduction::max>(tensor({1.f, nan, 2.f}), 0, tensor({0, 1, 0, 2}),
                                                            tensor({nan, 5.f, 7.f, 3.f}));
  CHECK((std::isnan(best(0)) && std::isnan(best(1)) && best(2) == 3.f));
  const Tensor none = scatter_reduce<ScatterReduction::min>(tensor({1.f}), 0, tensor({0}), tensor({INFINITY}), IncludeSelf::no);
  CHECK(none(0) == INFINITY);
  const Tensor many = zeros<std::int64_t>({5000});
  const Tensor halves = full({5000}, float16(0.125f));
  CHECK(static_cast<float>(scatter_reduce<ScatterReduction::mean>(zeros<float16>({1}), 0, many, halves, IncludeSelf::no)(0)) ==
        0.125f);  // as the sum of a float: in float16 it would stay at 256
  const Tensor bytes = scatter_reduce<ScatterReduction::mean>(tensor<std::uint8_t>({0}), 0, tensor({0, 0}),
                                                              tensor<std::uint8_t>({200, 101}), IncludeSelf::no);
  CHECK(bytes(0) == 150);
}

TEST_CASE("several elements for one place: in the order of the indices, whatever the number of threads, in place when moved") {
  const Tensor at = eval(arange(60000) % 7);
  const Tensor values = 1 / (1 + cast<float>(arange(60000)));
  const int before = num_threads();
  set_num_threads(1);
  const Tensor one = index_add(zeros({7}), 0, at, values);
  const Tensor last = index_put(zeros({7}), {at}, values);
  const Tensor many = scatter_reduce<ScatterReduction::prod>(ones({7, 500}), 0, broadcast_to(unsqueeze(at(range(0, 600)), 1), {600, 500}),
                                                             1 + rand<float>({600, 500}, Generator(1)));
  set_num_threads(4);
  CHECK(array_equal(scatter_reduce<ScatterReduction::prod>(ones({7, 500}), 0, broadcast_to(unsqueeze(at(range(0, 600)), 1), {600, 500}),
                                                           1 + rand<float>({600, 500}, Generator(1))), many).item());
  CHECK(list(index_add(zeros({7}), 0, at, values)) == list(one));
  CHECK(list(index_put(zeros({7}), {at}, values)) == list(last));
  // Threads have positions where an index is for a short row, and columns where there are few positions.
  for (const std::int64_t positions : {7, 300}) {
    const Tensor rows = eval(arange(2000) % positions);
    const Tensor parts = rand<float>({2000, 24}, Generator(2));
    const Tensor sums = index_add(zeros({positions, 24}), 0, rows, parts);
    for (std::int64_t place = 0; place < positions; ++place) {
      Tensor expected = zeros({24});
      Tensor wide = zeros<double>({24});  // more than 256 to a place
      for (std::int64_t j = place; j < 2000; j += positions) {
        expected = expected + parts(j, all);
        wide = wide + cast<double>(parts(j, all));
      }
      if (positions == 7) expected = cast<float>(wide);
      CHECK(array_equal(sums(place, all), expected).item());
    }
    const Tensor columns = index_add(zeros({24, positions}), 1, rows, transpose(parts));
    CHECK(array_equal(columns, transpose(sums)).item());
    CHECK_THROWS_AS(static_cast<void>(index_add(zeros({positions, 24}), 0, rows + 1, parts)), IndexError);
  }
  set_num_threads(before);
  for (std::int64_t i = 0; i < 7; ++i) CHECK(last(i) == values(59999 - (59999 - i) % 7));
  Tensor table = zeros({4, 4});
  const float* const place = table.data();
  table = index_put(std::move(table), {tensor({1, 2}), tensor({3, 0})}, tensor({5.f, 6.f}));
  CHECK((table.data() == place && table(1, 3) == 5.f && table(2, 0) == 6.f));
  table = scatter_reduce<ScatterReduction::max>(std::move(table), 0, tensor({{0, 0, 0, 0}}), ones({1, 4}));
  CHECK((table.data() == place && sum(table).item() == 15.f));
  // What is moved may be what is added.
  const Tensor twice = tensor({1, 0});
  Tensor own = tensor({1.f, 2.f});
  own = index_add(std::move(own), 0, twice, own);
  CHECK(list(own) == std::vector<float>{3, 3});
  own = scatter_reduce<ScatterReduction::prod>(std::move(own), 0, twice, own, IncludeSelf::no);
  CHECK(list(own) == std::vector<float>{3, 3});
  own = index_put(std::move(own), {twice}, own, Accumulate::yes);
  CHECK(list(own) == std::vector<float>{6, 6});
}

TEST_CASE("positions of any integers, broadcast, for the first axes") {
  const Tensor x = reference::counting<float>({3, 4, 2});
  const Tensor i = tensor<std::uint8_t>({2, 0});
  CHECK(list(x(i, tensor({-1, 1}))) == list(eval(stack(x(2, 3, all), x(0, 1, all)))));
  CHECK(array_of(x(i)) == array_of(take(x, i, 0)));
  CHECK(x(unsqueeze(i, 1), arange(4)).shape() == Shape{2, 4, 2});
  CHECK(list((x * 2)(i, i, tensor({0, 0}))) == std::vector<float>{40, 0});
  CHECK(array_of(gather_nd(x, nonzero(x > 20))) == array_of(x(x > 20)));
  CHECK(x(zeros<int>({0}), zeros<int>({0})).shape() == Shape{0, 2});
  CHECK(list(index_put(tensor({true, false}), {tensor({1})}, tensor(true))) == std::vector<bool>{true, true});
}

TEST_CASE("what does not fit is told: which list, which axis") {
  const Tensor x = zeros({2, 3});
  const Tensor two = tensor({0, 1});
  CHECK(message_of([&] { (void)x(two, tensor({0, 3})); }) ==
        "x(rows, columns): index 3 is out of range for axis 1 of extent 3; indices are -3 to 2");
  CHECK(message_of([&] { (void)index_put(x, {tensor({-3}), two}, tensor(1.f)); }) ==
        "index_put: index -3 is out of range for axis 0 of extent 2; indices are -2 to 1");
  CHECK(contains(message_of([&] { (void)gather_nd(x, tensor({{0, 9}})); }), "gather_nd: index 9 is out of range for axis 1"));
  CHECK(contains(message_of([&] { (void)index_add(x, 1, tensor({4}), ones({2, 1})); }), "index_add: index 4 is out of range"));
  CHECK(contains(message_of([&] { (void)scatter_reduce<ScatterReduction::min>(x, 0, tensor({{7}}), x(range(0, 1))); }),
                 "scatter_reduce: index 7 is out of range for axis 0"));
  CHECK(contains(message_of([&] { (void)masked_scatter(x, x == 0, ones({5})); }), "true in more places than the source"));
  CHECK_THROWS_AS((void)masked_scatter(x, x == 0, zeros({0})), IndexError);
  CHECK_THROWS_AS((void)x(two, tensor({0, 1, 2})), ShapeError);
  CHECK_THROWS_AS((void)x(two, two, two), ShapeError);
  CHECK_THROWS_AS((void)gather_nd(x, zeros<int>({2, 3})), ShapeError);
  CHECK_THROWS_AS((void)gather_nd(x, tensor(0)), ShapeError);
  CHECK_THROWS_AS((void)index_add(x, 0, tensor({{0}}), x), ShapeError);
  CHECK_THROWS_AS((void)index_put(x, {two, two}, ones({3})), ShapeError);
  CHECK_THROWS_AS((void)index_put(x > 0, {two}, x > 0, Accumulate::yes), ValueError);
  CHECK_THROWS_AS((void)meshgrid(x, x), ShapeError);
  CHECK_THROWS_AS((void)tensordot(x, x, {0}, {1}), ShapeError);
  CHECK_THROWS_AS((void)tensordot(x, x, {0, 1}, {0}), ShapeError);
  CHECK_THROWS_AS((void)tensordot(x, x, {0, 0}, {0, 1}), IndexError);
  CHECK_THROWS_AS((void)tensordot(x, x, 3), ShapeError);
  CHECK_THROWS_AS((void)cdist(x, zeros({2, 2})), ShapeError);
  CHECK_THROWS_AS((void)cdist(x, x, NormOrder{3}), ValueError);
}

TEST_CASE("a grid of one list, of three, of views") {
  const auto [x] = meshgrid(tensor({1, 2}));
  CHECK(list(x) == std::vector<int>{1, 2});
  const auto [a, b, c] = meshgrid(arange(2), arange(3), tensor(std::int64_t{9}));
  CHECK((a.shape() == Shape{3, 2, 1} && b(2, 1, 0) == 2 && c(0, 1, 0) == 9));
  static_assert(std::is_same_v<decltype(a), const Tensor<std::int64_t>>);
}

TEST_CASE("tensordot and cdist of other elements, and near points far from 0") {
  CHECK(list(tensordot(tensor({{1, 2}, {3, 4}}), tensor({5, 6}), 1)) == std::vector<int>{17, 39});
  CHECK(tensordot(tensor({{1, 2}, {3, 4}}), tensor({{1, 1}, {1, 1}})).item() == 10);
  const Tensor far = tensor({{1e4f, 0.f}, {1e4f + 0.0625f, 0.f}});
  CHECK(cdist(far, far)(0, 1) == 0.0625f);
  CHECK(static_cast<float>(cdist(cast<bfloat16>(far), zeros<bfloat16>({1, 2}), NormOrder{1})(0, 0)) == 9984.f);
}

TEST_CASE("positions and masks beside other items") {
  const Tensor x = reshape(arange<float>(24), {2, 3, 4});
  const Tensor i = tensor<std::int64_t>({2, 0, -1});
  const Tensor<bool> mask = tensor({true, false, true});
  CHECK(array_equal(x(all, i), take(x, i, 1)).item());
  CHECK(array_equal(x(all, mask), take(x, tensor<std::int64_t>({0, 2}), 1)).item());
  CHECK(array_equal(x(1, mask), x(1, all)(mask)).item());
  CHECK(array_equal(x(1, i), take(x(1, all), i, 0)).item());
  CHECK(array_equal(x(range(0, 1), i), take(x(range(0, 1)), i, 1)).item());
  CHECK(array_equal(x(newaxis, tensor<std::int64_t>({1})), take(x(newaxis), tensor<std::int64_t>({1}), 1)).item());
  const Tensor j = tensor<std::int32_t>({{1, 0}, {1, 1}});
  CHECK(x(all, j).shape() == Shape{2, 2, 2, 4});
  CHECK(x(j, all).shape() == Shape{2, 2, 3, 4});
  CHECK(array_equal(x(j, range(1, 3)), take(x(all, range(1, 3)), j, 0)).item());
  CHECK(array_equal(x(j, 2), take(x(all, 2), j, 0)).item());
  CHECK(array_equal(x(tensor({false, true}), all), x(range(1, 2))).item());
  CHECK(x(all, mask == false).shape() == Shape{2, 1, 4});
  CHECK_THROWS_AS(static_cast<void>(x(all, tensor<std::int64_t>({3}))), IndexError);
  CHECK_THROWS_AS(static_cast<void>(x(all, tensor({true, false}))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(arange<float>(3)(all, i)), IndexError);
  const Variable v{x};
  const Gradients g = backward(sum(v(all, mask)));
  CHECK(array_equal(g[v](all, 1), zeros<float>({2, 4})).item());
  CHECK(sum(g[v]).item() == 16.f);
}

TEST_CASE("what only has an error text is no call: templates can ask") {
  constexpr auto asked = []<class X, class I>(std::type_identity<X>, std::type_identity<I>) {
    static_assert(!requires(const X& x) { x[0]; });
    static_assert(!requires(X& x, const I& i) { x.at(i); });
    static_assert(!requires(X& x, const I& i) { x.at(i, i); });
    static_assert(!requires(X& x, const I& i) { x.at(all, i); });
    static_assert(!requires(const X& x, const I& i) { scatter_reduce(x, 0, i, x, "amax"); });
    static_assert(!requires(const X& x, const I& i) { index_put(x, {i}, "text"); });
    static_assert(requires(const X& x, const I& i) { index_put(x, {i}, x); });
    static_assert(!requires(const X& x) { copy(x, x(0, all)); });
    static_assert(requires(X& x) { copy(x, x.at(0, all)); });
    static_assert(!requires(const X& x) { pad(x, {{1, 1}}, "reflect"); });
    static_assert(!requires(const I& i) { pad(i, {{1, 1}}, 0.5); });
    static_assert(!std::is_constructible_v<X, Shape> && !std::is_convertible_v<Shape, X>);
  };
  asked(std::type_identity<Tensor<float>>(), std::type_identity<Tensor<std::int64_t>>());
  constexpr auto on_a_gpu = []<class G>(std::type_identity<G>) {
    static_assert(!requires(const G& g) { g(0); });
    static_assert(!requires(G& g) { g.at(0); });
    static_assert(!requires(const G& g) { g(0, 0); });
    static_assert(requires(G& g) { g.at(0, all); });
    static_assert(requires(const G& g) {
      g(0, all);
      g(all);
      g(range(0, 2));
      g(newaxis);
    });
  };
  on_a_gpu(std::type_identity<Tensor<float, Cuda<0>>>());
  constexpr auto seeded = []<class Seed>(std::type_identity<Seed>) { return requires(Seed seed) { rand({3}, seed); }; };
  static_assert(!seeded(std::type_identity<int>()) && seeded(std::type_identity<Generator>()));
}
