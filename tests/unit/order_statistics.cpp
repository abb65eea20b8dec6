// SPDX-License-Identifier: Apache-2.0
// bincount and histogram against loops, quantiles, running maxima, draws by weight, and their gradients.
// labels: threads
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

namespace {

using namespace situ;
using reference::array_of;
using reference::message_of;
using Positions = std::vector<std::int64_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class X>
Positions counts_in(const X& x, std::int64_t size) {
  Positions counts(static_cast<std::size_t>(size), 0);
  for (const auto value : array_of(x).values) {
    if (value >= 0 && value < size) ++counts[static_cast<std::size_t>(value)];
  }
  return counts;
}

TEST_CASE("medians of even counts: in range, infinite beside an infinity; sums and running maxima hold what uint64 holds") {
  CHECK(median(tensor({1.f, INFINITY})).item() == INFINITY);
  CHECK(median(tensor({-3e38f, 3e38f})).item() == 0.f);
  CHECK(static_cast<float>(median(cast<float16>(tensor({-6e4f, 6e4f, 6e4f, 5e4f}))).item()) == doctest::Approx(5.5e4f).epsilon(1e-3));
  const auto running = cummax(from_span<std::uint64_t>(std::vector<std::uint64_t>{1, std::uint64_t{1} << 63, 5}, {3}), 0);
  CHECK(running.values(2) == std::uint64_t{1} << 63);
  CHECK(running.indices(2) == 1);
  CHECK(static_cast<float>(bincount(zeros<int>({3000}), ones<float16>({3000}))(0)) == 3000);
}

TEST_CASE("bincount: counts, also by several threads") {
  for (const std::int64_t size : {1, 7, 4099}) {
    const Tensor x = randint<std::int32_t>(0, size, {70001}, Generator(2));
    const Tensor y = x - 2;
    CHECK(array_of(bincount(x, size)).values == counts_in(x, size));
    CHECK(array_of(bincount(y, {.size = size})).values == counts_in(y, size));
    const int before = num_threads();
    set_num_threads(3);
    CHECK(array_of(bincount(y, {.size = size})).values == counts_in(y, size));
    set_num_threads(before);
  }
  CHECK(array_of(bincount(tensor({1, 3, 1}))).values == Positions{0, 2, 0, 1});
  CHECK(array_of(bincount(tensor<std::uint8_t>({1, 3, 1}), 6)).values == Positions{0, 2, 0, 1, 0, 0});
  CHECK(bincount(zeros<std::int64_t>({0})).shape() == Shape{0});
  CHECK(array_of(bincount(transpose(tensor({{0, 1}, {1, 2}})))).values == Positions{1, 2, 1});
  CHECK_THROWS_AS(static_cast<void>(bincount(tensor({0, -3}))), ValueError);
  CHECK_THROWS_AS(static_cast<void>(bincount(tensor({0}), -1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(bincount(tensor({0}), {.size = -1})), ShapeError);
}

TEST_CASE("numbers and sizes near 2^63 are refused by what no memory holds") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Tensor<std::int64_t> x = from_span<std::int64_t>(std::vector<std::int64_t>{0, most - 1}, {2});
  const Tensor w = tensor({1.0, 2.0});
  CHECK_THROWS_AS(static_cast<void>(bincount(x)), OutOfMemory);
  CHECK_THROWS_AS(static_cast<void>(bincount(x + 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(bincount(x, w)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(bincount(x, w, {.size = most})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(bincount(x, {.size = most})), OutOfMemory);
  CHECK_THROWS_AS(static_cast<void>(unique(x, {.size = most})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(unique_all(x, {.size = most - 1})), OutOfMemory);
  CHECK_THROWS_AS(static_cast<void>(unique(x, {.size = -1})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(nonzero(x, {.size = most})), OutOfMemory);
  CHECK_THROWS_AS(static_cast<void>(histogram(w, most, {-1.7e308, 1.7e308})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(multinomial(ones<double>({2, 2}), most, Replacement::yes)), ShapeError);
}

TEST_CASE("bincount: weights and their gradient") {
  const Tensor x = tensor({2, 0, 2, 5});
  const Tensor w = tensor({1.5, 2.0, -4.0, 8.0});
  CHECK(array_of(bincount(x, w)).values == std::vector<double>{2, 0, -2.5, 0, 0, 8});
  CHECK(array_of(bincount(x - 1, w, {.size = 3})).values == std::vector<double>{0, -2.5, 0});
  CHECK(array_of(bincount(x, w, 8)).values.size() == 8);
  const Variable v(w);
  const Tensor<double> g = backward(sum(bincount(x, v) * arange<double>(6)))[v];
  CHECK(array_of(g).values == std::vector<double>{2, 0, 2, 5});
  CHECK(message_of([&] { static_cast<void>(bincount(x, tensor({1.0}))); }) ==
        "bincount: the weights have shape (1,), x (4,); give one weight for each element");
}

TEST_CASE("histogram: the edges decide") {
  const Tensor x = rand<float>({30011}, Generator(5)) * 3;
  for (const std::int64_t bins : {1, 3, 10, 1000}) {
    const auto [hist, edges] = histogram(x, bins, {0.5, 2.25});
    const auto e = array_of(edges).values;
    Positions wanted(static_cast<std::size_t>(bins), 0);
    for (const float value : x) {
      if (value < e.front() || value > e.back()) continue;
      const auto bin = std::upper_bound(e.begin(), e.end(), value) - e.begin() - 1;
      ++wanted[static_cast<std::size_t>(std::min<std::int64_t>(bin, bins - 1))];
    }
    CHECK(array_of(hist).values == wanted);
    CHECK(array_of(histogram(x, edges).hist).values == wanted);
  }
  // every edge in its own bin, the last one in the last
  const Tensor edges = linspace<double>(0.1, 0.8, 8);
  CHECK(array_of(histogram(edges, 7, {0.1, 0.8}).hist).values == Positions{1, 1, 1, 1, 1, 1, 2});
  CHECK(array_of(histogram(tensor({0.0, nan, 1.0, infinity, -1.0}), 2, {0, 1}).hist).values == Positions{1, 1});
  CHECK(histogram(tensor({float16(1.f), float16(3.f)}), 2).bin_edges.size() == 3);
  CHECK(sum(histogram(x, 8).hist).item() == x.size());
  CHECK(array_of(histogram(full({3}, 2.0), 2).bin_edges).values == std::vector<double>{1.5, 2, 2.5});
  CHECK(message_of([&] { static_cast<void>(histogram(tensor({nan}), 2)); }) ==
        "histogram: the range from nan to nan is invalid; name one, histogram(x, bins, {low, high}), of two finite "
        "numbers, the lower first");
  CHECK_THROWS_AS(static_cast<void>(histogram(x, 0)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(histogram(x, 3, {1, 0})), ValueError);
  CHECK_THROWS_AS(static_cast<void>(histogram(x, tensor({1.f}))), ShapeError);

  const Variable w(tensor({1.0, 2.0, 4.0}));
  const auto weighted = histogram(tensor({0.0, 0.9, 7.0}), 2, {0, 1}, w);
  CHECK(array_of(weighted.hist.value()).values == std::vector<double>{1, 2});
  CHECK(array_of(backward(sum(weighted.hist * tensor({3.0, 5.0})))[w]).values == std::vector<double>{3, 5, 0});
}

TEST_CASE("quantile and median: NaN, infinities, gradients") {
  CHECK(median(tensor({3.f, 1.f, 2.f})).item() == 2);
  CHECK(median(tensor({3.f, 1.f, 2.f, 10.f})).item() == 2.5f);
  CHECK(quantile(tensor({1.0, 2.0, infinity}), 0.5).item() == 2);
  CHECK(quantile(tensor({1.0, infinity, infinity}), 0.75).item() == infinity);
  const Tensor x = tensor({{4.0, nan, 1.0}, {1.0, 3.0, 2.0}});
  const auto rows = array_of(median(x, 1)).values;
  CHECK((std::isnan(rows[0]) && rows[1] == 2));
  CHECK(median(x, 1, keepdims).shape() == Shape{2, 1});
  CHECK(quantile(rand({4, 3, 5}), {0.0, 1.0}, {0, 2}).shape() == Shape{2, 3});
  CHECK(quantile(rand({4, 3, 5}), {0.5}, {0, 2}, keepdims).shape() == Shape{1, 1, 3, 1});
  CHECK(quantile(rand({0, 3}), 0.5, 1).shape() == Shape{0});
  CHECK(median(tensor(7.0)).item() == 7);
  CHECK(message_of([&] { static_cast<void>(quantile(x, 1.5)); }) ==
        "quantile: 1.5 is not in [0, 1]; the median is at 0.5");
  CHECK_THROWS_AS(static_cast<void>(median(zeros<double>({3, 0}), 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(median(x, 2)), IndexError);

  const Variable v(tensor({{4.0, 0.0, 1.0, 3.0}, {1.0, 3.0, 2.0, 9.0}}));
  CHECK(array_of(backward(sum(median(v, 1) * tensor({1.0, 10.0})))[v]).values ==
        std::vector<double>{0, 0, 0.5, 0.5, 0, 5, 5, 0});
  CHECK(array_of(backward(sum(quantile(v, {0.0, 0.25}, 0)))[v]).values ==
        std::vector<double>{0.25, 1.75, 1.75, 1.75, 1.75, 0.25, 0.25, 0.25});
}

TEST_CASE("kthvalue, cummax, cummin: ties, NaN, gradients") {
  const Tensor x = tensor({{3.0, 1.0, 3.0, nan}, {2.0, 2.0, 5.0, 0.0}});
  const auto kth = kthvalue(x, 2);
  CHECK(array_of(kth.values).values == std::vector<double>{3, 2});
  CHECK(array_of(kth.indices).values == Positions{0, 0});
  CHECK(std::isnan(kthvalue(x, 4).values(0)));
  CHECK(kthvalue(x, 1, 0, keepdims).values.shape() == Shape{1, 4});
  CHECK(message_of([&] { static_cast<void>(kthvalue(x, 3, 0)); }) ==
        "kthvalue: k is 3, but axis 0 of shape (2, 4) has 2 positions; k must be 1 to 2");
  const auto highest = cummax(x, 1);
  CHECK(array_of(highest.indices).values == Positions{0, 0, 2, 3, 0, 1, 2, 2});
  CHECK((highest.values(0, 2) == 3 && std::isnan(highest.values(0, 3)) && highest.values(1, 3) == 5));
  const auto after_nan = cummin(tensor({2.f, NAN, 1.f}), 0);
  CHECK(array_of(after_nan.indices).values == Positions{0, 1, 1});
  CHECK(array_of(cummin(tensor({true, false, true}), 0).indices).values == Positions{0, 1, 1});
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(array_of(cummax(tensor({most - 1, most, most - 2}), 0).values).values == Positions{most - 1, most, most});
  CHECK(cummax(zeros({3, 0}), 1).values.shape() == Shape{3, 0});

  const Variable v(tensor({1.0, 3.0, 3.0, 2.0}));
  CHECK(array_of(backward(sum(cummax(v, 0).values * tensor({1.0, 2.0, 4.0, 8.0})))[v]).values ==
        std::vector<double>{1, 2, 12, 0});
  CHECK(array_of(backward(kthvalue(v, 3).values)[v]).values == std::vector<double>{0, 1, 0, 0});
}

TEST_CASE("multinomial draws by weight") {
  const Tensor weights = tensor({0.f, 1.f, 0.f, 3.f, 0.f});
  const std::int64_t draws = 20000;
  const int before = num_threads();
  set_num_threads(1);
  const Tensor again = multinomial(weights, draws, Replacement::yes, Generator(4));
  set_num_threads(4);
  const auto counts = array_of(bincount(again, 5)).values;
  CHECK((counts[0] == 0 && counts[2] == 0 && counts[4] == 0));
  CHECK(std::abs(static_cast<double>(counts[1]) - 5000) < 5 * std::sqrt(20000 * 0.25 * 0.75));  // five deviations
  CHECK(array_equal(again, multinomial(weights, draws, Replacement::yes, Generator(4))).item());

  set_num_threads(before);

  // of a row without replacement: first each as often as its weight says, and none twice
  const Tensor rows = broadcast_to(tensor({1.0, 0.0, 2.0, 1.0}), {8000, 4});
  const Tensor once = multinomial(rows, 3, Generator(6));
  CHECK(once.shape() == Shape{8000, 3});
  CHECK(array_of(bincount(once, 4)).values == Positions{8000, 0, 8000, 8000});
  const auto first = array_of(bincount(once(situ::all, 0), 4)).values;
  CHECK(std::abs(static_cast<double>(first[2]) - 4000) < 5 * std::sqrt(8000 * 0.25));

  // of weights whose sum no number holds, and of a weight that is 0 beside the largest
  const auto huge = array_of(bincount(multinomial(tensor({1e308, 0.0, 1e308}), draws, Replacement::yes, Generator(2)), 3)).values;
  CHECK((huge[1] == 0 && std::abs(static_cast<double>(huge[0]) - 10000) < 5 * std::sqrt(20000 * 0.25)));
  CHECK(array_of(multinomial(tensor({0.0, 1e-300, 1e308}), 2, Generator(2))).values == Positions{2, 1});
  // the smallest and the largest number that can be drawn: no position without a weight, first or last
  const Tensor ends = tensor({0.0, 1.0, 0.0, 3.0, 0.0});
  const Tensor numbers = tensor({0.0, 1 - 0x1p-53, 0.25});
  CHECK(array_of(internal::drawn_again(ends, numbers)).values == Positions{1, 3, 3});
  CHECK(array_of(internal::drawn_again(eval(ends / 3.0), numbers)).values == Positions{1, 3, 3});
  const Positions order = array_of(internal::drawn_once(ends, zeros<double>({5}), 5)).values;
  CHECK((order[0] % 2 == 1 && order[1] % 2 == 1));

  Generator generator(1);
  CHECK(multinomial(zeros<float>({0, 3}), 2, generator).shape() == Shape{0, 2});
  CHECK(multinomial(weights, 0).shape() == Shape{0});

  CHECK(message_of([&] { static_cast<void>(multinomial(weights, 6)); }) ==
        "multinomial: 6 draws from 5 positions, each at most once; Replacement::yes draws one again");
  CHECK_THROWS_AS(static_cast<void>(multinomial(ones({2, 2, 2}), 1)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(multinomial(zeros({2}), 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(multinomial(tensor({1.0, -1.0}), 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(multinomial(tensor({1.0, infinity}), 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(multinomial(tensor({1.0, nan}), 1)), ValueError);
  CHECK_THROWS_AS(static_cast<void>(multinomial(zeros<double>({0}), 1, Replacement::yes)), ValueError);
}

}  // namespace

TEST_CASE_TEMPLATE("elements by rank are those of a stable sort", T, bool, std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float,
                   double) {
  for (const std::int64_t count : {1, 2, 3, 7, 255, 256, 257, 300, 2001}) {
    for (const int kind : {0, 1, 2}) {  // many values, few, one
      CAPTURE(count);
      CAPTURE(kind);
      const Tensor<float> spread = eval(sin(arange<float>(3 * count) * 12.9898f) * (kind == 0 ? 30000.f : kind == 1 ? 2.f : 0.f));
      Tensor<T> flat;
      if constexpr (std::same_as<T, bool>) flat = spread > 0.f;
      else if constexpr (IntegerElement<T>) flat = cast<T>(cast<std::int64_t>(spread * (sizeof(T) == 1 ? 0.004f : 1.f)));
      else flat = cast<T>(kind == 1 ? eval(round(spread)) : spread);  // 0 and -0
      const Tensor<T> x = reshape(flat, {3, count});
      const Tensor<std::int64_t> order = argsort(x, 1);
      const Tensor<T> turned = transpose(x);
      const Tensor<T> strided = reshape(concat(flat, flat), {3, 2 * count})(all, range(2 * count - 1, -2 * count - 1, -2));
      const Tensor<std::int64_t> strided_order = argsort(strided, 1);
      for (const std::int64_t k : {std::int64_t{1}, count / 3 + 1, (count + 1) / 2, count}) {
        CAPTURE(k);
        const auto found = kthvalue(x, k, 1);
        CHECK(array_equal(found.indices, order(all, k - 1)).item());
        CHECK(array_equal(found.values, gather(x, 1, order)(all, k - 1)).item());
        CHECK(array_equal(kthvalue(turned, k, 0).indices, found.indices).item());
        CHECK(array_equal(kthvalue(strided, k, 1).indices, strided_order(all, k - 1)).item());
      }
    }
  }
}

TEST_CASE_TEMPLATE("one quantile has the bits of several, which are sorted for", T, float16, bfloat16, float, double) {
  using C = compute_t<T>;
  const auto same = [](const Tensor<T>& a, const Tensor<T>& b) {
    REQUIRE(a.shape() == b.shape());
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const C x = static_cast<C>(a(i)), y = static_cast<C>(b(i));
      if (!((x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y)))) return false;
    }
    return true;
  };
  const C not_a_number = std::numeric_limits<C>::quiet_NaN(), infinite = std::numeric_limits<C>::infinity();
  for (const std::int64_t count : {1, 2, 3, 4, 50, 256, 1001}) {
    Tensor<float> wide = eval(sin(reshape(arange<float>(6 * count), {6, count}) * 12.9898f) * 100.f);
    Tensor<T> x = cast<T>(wide);
    x.at(1, count / 2) = T(not_a_number);
    x.at(2, 0) = T(infinite);
    x.at(3, count - 1) = T(-infinite);
    for (std::int64_t i = 0; i < count; ++i) x.at(4, i) = T(C(i % 3 == 0 ? -0.0 : 0.0));
    for (std::int64_t i = 0; i < count; ++i) x.at(5, i) = T(C(i % 2));
    for (const double q : {0.0, 0.01, 0.25, 0.5, 0.7, 0.999, 1.0}) {
      CAPTURE(count);
      CAPTURE(q);
      const Tensor<T> sorted = quantile(x, {q, 0.1, 0.2, 0.3}, 1)(0, all);
      CHECK(same(quantile(x, q, 1), sorted));
      CHECK(same(quantile(transpose(x), q, 0), sorted));
      CHECK(same(quantile(x, {0.9, q}, 1)(1, all), sorted));
      if (q == 0.5) CHECK(same(median(x, 1), sorted));
    }
  }
  const int before = num_threads();
  const Tensor<T> many = cast<T>(rand<float>({40, 3001}, Generator(4)));
  set_num_threads(1);
  const Tensor<T> one = median(many, 1);
  set_num_threads(3);
  CHECK(same(median(many, 1), one));
  set_num_threads(before);
}

TEST_CASE_TEMPLATE("running extrema along any axis are those of each line", T, bool, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float16,
                   bfloat16, float, double) {
  for (const std::int64_t columns : {1, 2, 5, 8, 15, 16, 17, 40, 600}) {
    CAPTURE(columns);
    const Tensor<float> wide = eval(sin(reshape(arange<float>(11 * columns), {11, columns}) * 7.1f) * 100.f);
    Tensor<T> x;
    if constexpr (std::same_as<T, bool>) x = wide > 0.f;
    else if constexpr (IntegerElement<T>) x = cast<T>(cast<std::int64_t>(wide));
    else x = cast<T>(wide);
    if constexpr (FloatingElement<T>) x.at(3, columns / 2) = T(std::numeric_limits<compute_t<T>>::quiet_NaN());
    const auto down = cummax(x, 0), least = cummin(x, 0);
    const auto along = cummax(transpose(x), 1), along_least = cummin(transpose(x), 1);
    CHECK(array_equal(down.indices, transpose(along.indices)).item());
    CHECK(array_equal(least.indices, transpose(along_least.indices)).item());
    bool right = true;
    for (std::int64_t j = 0; j < columns; ++j) {
      std::int64_t top = 0, bottom = 0;
      for (std::int64_t i = 0; i < 11; ++i) {
        const auto value = static_cast<compute_t<T>>(x(i, j));
        const auto high = static_cast<compute_t<T>>(x(top, j)), low = static_cast<compute_t<T>>(x(bottom, j));
        if (value != value || value >= high) top = i;
        if (value != value || value <= low) bottom = i;
        right = right && down.indices(i, j) == top && least.indices(i, j) == bottom;
      }
    }
    CHECK(right);
  }
}
