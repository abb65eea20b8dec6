// SPDX-License-Identifier: Apache-2.0
// Creation: fills, sequences, identity matrices, spans and nested lists, for every element type.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::contains;
using reference::make_array;
using reference::message_of;

TEST_CASE_TEMPLATE("zeros, ones, full, empty and their likes", T, bool, uint8_t, int32_t, int64_t, float16, bfloat16, float,
                   double) {
  using C = compute_t<T>;
  static_assert(std::same_as<decltype(zeros<T>({2, 3})), Tensor<T, Cpu>>);
  for (const reference::Indices& shape : reference::awkward_shapes()) {
    const Shape s = reference::shape_of(shape);
    const auto zero = make_array<C>(shape, [](const auto&) { return 0; });
    const auto one = make_array<C>(shape, [](const auto&) { return 1; });
    CHECK(array_of(zeros<T>(s)) == zero);
    CHECK(array_of(ones<T>(s)) == one);
    CHECK(array_of(full<T>(s, static_cast<T>(C(1)))) == one);
    CHECK(array_of(zeros_like(ones<T>(s))) == zero);
    CHECK(array_of(ones_like(zeros<T>(s))) == one);
    CHECK(array_of(ones<T>(s, Pinned{})) == one);
    CHECK(empty<T>(s).shape() == s);
    CHECK(empty_like(zeros<T>(s)).shape() == s);
    CHECK(empty<T>(s).layout().is_row_major());
  }
  static_assert(std::same_as<decltype(zeros_like(ones<T>({1}, Pinned{}))), Tensor<T, Pinned>>);
  static_assert(std::same_as<decltype(full_like<double>(ones<T>({1}), 2)), Tensor<double, Cpu>>);
  CHECK(full_like<double>(ones<T>({2, 2}), 2.5)(1, 1) == 2.5);
}

TEST_CASE("full takes the type of its value, or converts to the one given") {
  static_assert(std::same_as<decltype(full({2}, 0.5f)), Tensor<float, Cpu>>);
  static_assert(std::same_as<decltype(full({2}, 1)), Tensor<int32_t, Cpu>>);
  static_assert(std::same_as<decltype(full<float16>({2}, 1)), Tensor<float16, Cpu>>);
  CHECK(full({2}, true)(1));
  CHECK(static_cast<float>(full<bfloat16>({2}, 0.1)(0)) == static_cast<float>(bfloat16(0.1f)));
  CHECK_THROWS_AS((void)full<uint8_t>({2}, 256), ValueError);
  CHECK_THROWS_AS((void)full<float16>({2}, 1e6), ValueError);
  CHECK_THROWS_AS((void)zeros<float>({2, -1}), ShapeError);
}

template <class... Extents>
concept MakeAShape = requires(Extents... extents) { Shape{extents...}; };

TEST_CASE("extents are integers of any type, in braces or in a range") {
  static_assert(Shape{2, 3}.count() == 6 && Shape{}.rank() == 0 && Shape{std::size_t{4}, short{2}}.count() == 8);
  static_assert(MakeAShape<int, std::size_t, std::uint8_t> && !MakeAShape<int, double> && !MakeAShape<bool>);
  static_assert(!std::is_convertible_v<int, Shape> && !std::is_convertible_v<Tensor<std::int64_t>, Shape> &&
                !std::is_convertible_v<std::string, Shape>);
  const std::vector<float> values(6);
  const std::vector<std::size_t> extents{2, 5};
  CHECK(zeros<float>({values.size(), 2}).shape() == Shape{6, 2});
  CHECK(empty<float>({values.size(), 2, std::int64_t{3}}).shape() == Shape{6, 2, 3});
  CHECK(full(extents, 1.f).shape() == Shape{2, 5});
  CHECK(zeros<int>(std::array<short, 3>{1, 2, 3}).shape() == Shape{1, 2, 3});
  CHECK(Shape{extents} == Shape(extents));
  CHECK(zeros<int>(std::vector<int>{}).rank() == 0);
  CHECK_THROWS_WITH_AS(static_cast<void>(zeros<float>({extents.size() - 3, 2})),
                       "shape: an extent of 18446744073709551615 does not fit in 64 bits with a sign; is it an unsigned "
                       "difference below 0?",
                       ShapeError);
  CHECK_THROWS_AS(static_cast<void>(zeros<float>(std::vector<int>{2, -1})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(zeros<float>(std::vector<int>(9, 1))), ShapeError);
}

namespace beside_std {

using namespace std;
using namespace situ;

template <class T>
concept MakesEmpty = requires {
  { empty<T>({2, 3}) } -> same_as<Tensor<T>>;
};
// g++ finds the call ambiguous, clang++ our tensor; it must never be the `bool` of std::empty.
template <class T>
concept AsksWhetherEmpty = requires {
  { empty<T>({2, 3}) } -> same_as<bool>;
};

TEST_CASE("names that the standard library has, too: beside using namespace std") {
  const int64_t n = 4;
  const vector<float> v(5);
  CHECK(empty<float>({2, 3}).shape() == Shape{2, 3});
  CHECK(empty<float>({n, n}).shape() == Shape{4, 4});
  CHECK(empty<int64_t>({n, 2}).shape() == Shape{4, 2});
  static_assert(MakesEmpty<float> && MakesEmpty<bool> && !AsksWhetherEmpty<int>);
  CHECK(empty<double>({n, v.size(), short{2}}).shape() == Shape{4, 5, 2});
  CHECK(empty<uint8_t>({v.size(), v.size()}, pinned).shape() == Shape{5, 5});
  CHECK(empty<bool>({}).rank() == 0);
  CHECK_FALSE(empty(v));
  CHECK_THROWS_AS(static_cast<void>(empty<float>({v.size() - 6, 1})), ShapeError);
  Tensor x = full({2, 3}, 4.f);
  x = exp(x) + abs(x) + pow(x, 2) + min(x) + sum(max(x)) + floor(x) + clamp(x, 0, 1) + fmod(2.f, 1.f) + std::max(1.f, 2.f);
  // (`any` with its namespace: behind <any>, which other headers may include, it is a class of std.)
  const Tensor<bool> found = situ::any(x > 0, 0) || isnan(sort(x(0, range(0, 3))));
  CHECK(found(2));
}

}  // namespace beside_std

TEST_CASE_TEMPLATE("arange", T, uint8_t, int32_t, int64_t, float16, bfloat16, float, double) {
  using C = compute_t<T>;
  CHECK(array_of(arange<T>(0)) == make_array<C>({0}, [](const auto& i) { return i[0]; }));
  CHECK(array_of(arange<T>(5)) == make_array<C>({5}, [](const auto& i) { return i[0]; }));
  CHECK(array_of(arange<T>(2, 7)) == make_array<C>({5}, [](const auto& i) { return 2 + i[0]; }));
  CHECK(array_of(arange<T>(2, 8, 3)) == make_array<C>({2}, [](const auto& i) { return 2 + 3 * i[0]; }));
  CHECK(array_of(arange<T>(9, 1, -3)) == make_array<C>({3}, [](const auto& i) { return 9 - 3 * i[0]; }));
  CHECK(arange<T>(3, 3).size() == 0);
  CHECK(arange<T>(4, 3).size() == 0);
  CHECK(arange<T>(3, 4, -1).size() == 0);
  CHECK(array_of(arange<T>(4, Pinned{})) == make_array<C>({4}, [](const auto& i) { return i[0]; }));
  CHECK_THROWS_AS((void)arange<T>(0, 3, 0), ValueError);
}

TEST_CASE("arange at the ends of the types") {
  CHECK(arange<uint8_t>(250, 256)(5) == 255);
  CHECK(contains(message_of([] { (void)arange<uint8_t>(250, 257); }), "256 does not fit in uint8"));
  CHECK_THROWS_AS((void)arange<float16>(65500, 70000, 100), ValueError);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const Tensor wide = arange<int64_t>(least, most, most);
  CHECK(wide.size() == 3);
  CHECK(wide(0) == least);
  CHECK(wide(1) == -1);
  CHECK(wide(2) == most - 1);
  CHECK(arange<int64_t>(most, least, least).size() == 2);
  CHECK_THROWS_AS((void)arange<int64_t>(least, most), ShapeError);
  CHECK_THROWS_AS((void)arange<float>(0, std::nan(""), 1), ValueError);
  CHECK_THROWS_AS((void)arange<float>(0, HUGE_VAL, 1), ValueError);
  CHECK_THROWS_AS((void)arange<float>(0, 3, HUGE_VAL), ValueError);
  CHECK_THROWS_AS((void)arange<float>(3, 0, HUGE_VAL), ValueError);
  CHECK_THROWS_AS((void)arange<float>(HUGE_VAL, 3, 1), ValueError);
  CHECK(contains(message_of([] { (void)arange<double>(-HUGE_VAL, 3, -1); }), "the arguments must be finite"));
}

TEST_CASE("bounds and values of any kind: 16-bit floats, characters, large unsigned integers") {
  CHECK(array_equal(arange<float16>(float16(3.f)), tensor<float16>({0, 1, 2})).item());
  CHECK(array_equal(linspace<bfloat16>(bfloat16(0.f), bfloat16(2.f), 3), tensor<bfloat16>({0, 1, 2})).item());
  CHECK(array_equal(linspace(float16(1.f), float16(2.f), 2), tensor<float16>({1, 2})).item());
  CHECK(array_equal(full<uint8_t>({2}, 'a'), tensor<uint8_t>({97, 97})).item());
  CHECK(array_equal(tensor<uint8_t>({10, 97}) == '\n', tensor({true, false})).item());
  CHECK(array_equal(arange<int32_t>('\0', u8'\3'), tensor({0, 1, 2})).item());
  CHECK(contains(message_of([] { static_cast<void>(full<uint8_t>({1}, U'\u20ac')); }), "the scalar 8364 does not fit in uint8; name a wider"));
  CHECK(contains(message_of([] { static_cast<void>(arange<int64_t>(std::size_t{1} << 63)); }),
                 "arange: the scalar 9223372036854775808 does not fit in int64; bounds are 64-bit integers with a sign"));
  CHECK(contains(message_of([] { static_cast<void>(arange<float>(0, 1e300)); }), "from 0 to 1e+300 by 1: "));
  CHECK(contains(message_of([] { static_cast<void>(linspace<double>(-1e308, 1e308, 3)); }), "from -1e+308 to 1e+308"));
}

TEST_CASE("arange does not add up rounding errors") {
  const Tensor x = arange<double>(0, 1000, 0.1);
  CHECK(x.size() == 10000);
  double largest = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x(i) - static_cast<double>(0.1L * static_cast<long double>(i))));
  }
  CHECK(largest <= 1.2e-13);  // half an ulp of 1000, and 10000 times what 0.1 differs from the double
  CHECK(arange<float>(0, 1, 0.25).shape() == Shape{4});
  const Tensor large = arange<int32_t>(100000);  // more than one thread's share
  for (std::int64_t i = 0; i < large.size(); i += 997) CHECK(large(i) == i);
}

TEST_CASE("linspace includes both ends") {
  for (const std::int64_t count : {2, 3, 7, 10, 101}) {
    const Tensor x = linspace<float>(-1.5, 0.1, count);
    CHECK(x.shape() == Shape{count});
    CHECK(x(0) == -1.5f);
    CHECK(x(-1) == 0.1f);
    for (std::int64_t i = 0; i < count; ++i) {
      const double exact = -1.5 + 1.6 * static_cast<double>(i) / static_cast<double>(count - 1);
      CHECK(std::abs(static_cast<double>(x(i)) - exact) <= 1e-7);
    }
  }
  CHECK(linspace<double>(3, 5, 0).size() == 0);
  CHECK(linspace<double>(3, 5, 1)(0) == 3);
  CHECK(linspace<float16>(0, 1, 3).shape() == Shape{3});
  CHECK_THROWS_AS((void)linspace<double>(0, 1, -1), ShapeError);
  CHECK_THROWS_AS((void)linspace<double>(-1.7e308, 1.7e308, 3), ValueError);
}

TEST_CASE_TEMPLATE("eye", T, bool, uint8_t, int32_t, int64_t, float16, bfloat16, float, double) {
  for (const std::int64_t rows : {0, 1, 3, 5}) {
    for (const std::int64_t columns : {0, 1, 4}) {
      for (std::int64_t diagonal = -6; diagonal <= 6; ++diagonal) {
        const auto expected = make_array<compute_t<T>>(
            {rows, columns}, [&](const auto& i) { return i[1] - i[0] == diagonal ? 1 : 0; });
        CHECK(array_of(eye<T>(rows, columns, diagonal)) == expected);
      }
    }
  }
  CHECK(array_of(eye<T>(3)) == array_of(eye<T>(3, 3, 0, Pinned{})));
}

TEST_CASE("from_span copies host elements") {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Tensor x = from_span<float>(values, {2, 3});
  values[0] = 9;
  CHECK(x(0, 0) == 1);
  CHECK(x(1, 2) == 6);
  CHECK(from_span<float>(values).shape() == Shape{6});
  CHECK(from_span<float>(values, {3, 2}, Pinned{})(2, 1) == 6);
  CHECK(from_span<float>(std::vector<float>{}, {0, 4}).shape() == Shape{0, 4});
  CHECK(from_span<float>(values, {2, -1}).shape() == Shape{2, 3});
  CHECK(from_span<float>(values, {-1, values.size(), 1}, Pinned{}).shape() == Shape{1, 6, 1});
  CHECK(from_span<float>(values, std::vector<int>{3, -1}).shape() == Shape{3, 2});
  CHECK(contains(message_of([&] { (void)from_span<float>(values, {4, -1}); }),
                 "from_span: 6 values are given; the extents given make 4, so that no integer can replace -1"));
  const std::string message = message_of([&] { (void)from_span<float>(values, {2, 2}); });
  CHECK(contains(message, "6 values"));
  CHECK(contains(message, "(2, 2)"));
}

TEST_CASE("an element type that is not given is that of the values, float where there are none") {
  using Floats = Tensor<float, Cpu>;
  using Doubles = Tensor<double, Cpu>;
  static_assert(std::same_as<decltype(zeros({2, 3})), Floats>);
  static_assert(std::same_as<decltype(ones({2}, pinned)), Tensor<float, Pinned>>);
  static_assert(std::same_as<decltype(empty({2, 3})), Floats>);
  static_assert(std::same_as<decltype(empty<int32_t>({2, 3})), Tensor<int32_t, Cpu>>);
  static_assert(std::same_as<decltype(eye(3)), Floats> && std::same_as<decltype(eye(2, 3, 1)), Floats>);
  static_assert(std::same_as<decltype(arange(10)), Tensor<int64_t, Cpu>>);
  static_assert(std::same_as<decltype(arange(2, 9, 2)), Tensor<int64_t, Cpu>>);
  static_assert(std::same_as<decltype(arange(0.f, 1.f, 0.1f)), Floats>);
  static_assert(std::same_as<decltype(arange(0, 1, 0.1)), Doubles> && std::same_as<decltype(arange(0.f, 1.0)), Doubles>);
  static_assert(std::same_as<decltype(arange(float16(2))), Tensor<float16, Cpu>>);
  static_assert(std::same_as<decltype(arange(uint8_t{3}, pinned)), Tensor<int64_t, Pinned>>);
  static_assert(std::same_as<decltype(linspace(0.f, 1.f, 5)), Floats>);
  static_assert(std::same_as<decltype(linspace(0, 1.0, 5)), Doubles>);
  static_assert(std::same_as<decltype(linspace(0, 1, 5)), Floats>);
  CHECK(array_of(arange(1, 6, 2)) == make_array<int64_t>({3}, [](const auto& i) { return 1 + 2 * i[0]; }));
  CHECK(array_of(arange(0.f, 1.f, 0.25f)) == make_array<float>({4}, [](const auto& i) { return 0.25f * static_cast<float>(i[0]); }));
  CHECK(array_of(linspace(0, 1, 5)) == make_array<float>({5}, [](const auto& i) { return 0.25f * static_cast<float>(i[0]); }));
  CHECK(empty({2, 3}).shape() == Shape{2, 3});
  CHECK_THROWS_AS(static_cast<void>(empty({2, -3})), ShapeError);

  const std::vector<float> list{1, 2, 3, 4};
  const std::array<double, 2> pair{5, 6};
  const std::int32_t plain[] = {7, 8, 9};
  static_assert(std::same_as<decltype(from_span(list, {2, 2})), Floats>);
  static_assert(std::same_as<decltype(from_span(pair)), Doubles>);
  static_assert(std::same_as<decltype(tensor(plain)), Tensor<int32_t, Cpu>>);
  static_assert(std::same_as<decltype(tensor(list, pinned)), Tensor<float, Pinned>>);
  CHECK(from_span(list, {2, 2})(1, 0) == 3);
  CHECK(from_span(std::span(list).first(2))(1) == 2);
  CHECK(tensor(pair).shape() == Shape{2});
  CHECK(tensor<double>(plain)(2) == 9);
  CHECK_THROWS_AS((void)tensor<uint8_t>(std::vector{1, 256}), ValueError);
  CHECK_THROWS_AS((void)from_span(list, {3, 2}), ShapeError);
  const std::vector<bool> bits{true, false, true};  // no array of bool
  CHECK(array_of(tensor(bits)) == make_array<bool>({3}, [](const auto& i) { return i[0] != 1; }));
  CHECK(from_span(bits, {3, 1})(2, 0));
}

TEST_CASE("tensor reads nested lists") {
  static_assert(std::same_as<decltype(tensor({{1.f, 2.f}, {3.f, 4.f}})), Tensor<float, Cpu>>);
  static_assert(std::same_as<decltype(tensor({1, 2})), Tensor<int32_t, Cpu>>);
  static_assert(std::same_as<decltype(tensor({1.0, 2.0}, pinned)), Tensor<double, Pinned>>);
  static_assert(std::same_as<decltype(tensor<float16>({{1.f}, {2.f}})), Tensor<float16, Cpu>>);
  CHECK(array_of(tensor(3.f)) == make_array<float>({}, [](const auto&) { return 3; }));
  CHECK(array_of(tensor({5})) == make_array<int32_t>({1}, [](const auto&) { return 5; }));
  CHECK(array_of(tensor({0., 1., 2.})) == make_array<double>({3}, [](const auto& i) { return i[0]; }));
  CHECK(array_of(tensor({{0, 1, 2}, {3, 4, 5}})) == make_array<int32_t>({2, 3}, [](const auto& i) { return 3 * i[0] + i[1]; }));
  CHECK(array_of(tensor({{{0, 1}}, {{2, 3}}, {{4, 5}}})) ==
        make_array<int32_t>({3, 1, 2}, [](const auto& i) { return 2 * i[0] + i[2]; }));
  CHECK(array_of(tensor({{{{0}, {1}}, {{2}, {3}}}})) ==
        make_array<int32_t>({1, 2, 2, 1}, [](const auto& i) { return 2 * i[1] + i[2]; }));
  CHECK(array_of(tensor({true, false})) == make_array<bool>({2}, [](const auto& i) { return i[0] == 0; }));
  CHECK(static_cast<float>(tensor<float16>({0.f, 0.1f})(1)) == static_cast<float>(float16(0.1f)));
  CHECK(tensor<double>({{1, 2}})(0, 1) == 2);
}

TEST_CASE("tensor rejects ragged lists and numbers that do not fit") {
  CHECK(contains(message_of([] { (void)tensor({{1, 2}, {3}}); }), "axis 1 have 2 and 1 entries"));
  CHECK_THROWS_AS((void)tensor({{1}, {3, 4}}), ShapeError);
  CHECK_THROWS_AS((void)tensor({{{1, 2}, {3, 4}}, {{5, 6}}}), ShapeError);
  CHECK_THROWS_AS((void)tensor({{{1, 2}, {3, 4}}, {{5, 6}, {7}}}), ShapeError);
  CHECK_THROWS_AS((void)tensor<uint8_t>({1, 256}), ValueError);
}
