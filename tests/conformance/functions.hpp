// SPDX-License-Identifier: Apache-2.0
// Conformance: every operator and function of the element-wise operations.
#pragma once

#include <tuple>

#include "../functions.hpp"
#include "support.hpp"

namespace conformance {

// A functor of a user: it must be callable in a kernel, so `constexpr` and at namespace scope.
struct ThreeTimesMinus {
  constexpr float operator()(float x, std::int32_t y) const { return 3 * x - static_cast<float>(y); }
};

TEST_CASE_TEMPLATE_DEFINE("operators and selection", D, operators) {
  const auto integers = [](auto tag) {
    using T = decltype(tag);
    const Tensor<T, Cpu> a = numbers<T>({40, 7}, std::is_signed_v<T> ? -9 : 0, 90);
    const Tensor<T, Cpu> b = numbers<T>({7}, std::is_signed_v<T> ? -3 : 0, 3);
    check_same<D>(0, [](const auto& x, const auto& y) { return floor_divide(x, y) + x % y + trunc_divide(x, y) * fmod(x, y); }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return ((x & y) | (x ^ 5)) + (x << y) + (x >> y); }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return pow(x, abs(y)) - ~x; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return minimum(sign(x), y) + maximum(square(x), clamp(y, 0, 2)); }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return (x < y) == (x >= 1) || x == y; }, a, b);
  };
  integers(std::uint8_t{});
  integers(std::int16_t{});
  integers(std::int64_t{});
  const auto floats = [](auto tag) {
    using T = decltype(tag);
    const Tensor<T, Cpu> a = numbers<T>({40, 7});
    const Tensor<T, Cpu> b = numbers<T>({40, 1}, -1, 1, 2);
    check_same<D>(4, [](const auto& x, const auto& y) { return x / y; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return floor_divide(x, y) + 1; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return x % y; }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return fmod(x, y); }, a, b);
    check_same<D>(8, [](const auto& x, const auto& y) { return pow(abs(x), y); }, a, b);
    check_same<D>(8, [](const auto& x, const auto& y) { return atan2(x, y); }, a, b);
    check_same<D>(4, [](const auto& x, const auto& y) { return hypot(x, y); }, a, b);
    check_same<D>(0, [](const auto& x, const auto& y) { return where(x <= y || !(x != x), minimum(x, y), maximum(x, y)); }, a, b);
    check_same<D>(0, [](const auto& x) { return clamp(x, -0.5, 0.5); }, a);
  };
  floats(float{});
  floats(double{});
  check_same<D>(1, [](const auto& x, const auto& y) { return x / y; }, numbers<float16>({40, 7}), numbers<float16>({40, 1}, 1, 2, 2));
  check_same<D>(0, [](const auto& x, const auto& y) { return x % y; }, numbers<bfloat16>({40, 7}), numbers<bfloat16>({40, 1}, 1, 2, 2));
  const Tensor<bool, Cpu> p = numbers<float>({101}) > 0;
  const Tensor<bool, Cpu> q = numbers<float>({101}, -2, 2, 3) > 0;
  check_same<D>(0, [](const auto& x, const auto& y) { return (x ^ y) || (!x && y); }, p, q);
  // In quarters, so that the product is exact: a GPU rounds 3 * x - y once, a CPU may round it twice.
  check_same<D>(0, [](const auto& x, const auto& y) { return map(ThreeTimesMinus{}, x, y); },
                eval(round(numbers<float>({33}) * 4) / 4), numbers<std::int32_t>({33}));
}

/// Numbers that have something special for somebody, and others.
template <class T>
Tensor<T, Cpu> special_numbers() {
  std::vector<double> list{0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 1e-3, -1e-3, 3.1415926, 100, -100, 1e4, 1e-7,
                           std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};
  const Tensor<double, Cpu> special = from_span<double>(std::span<const double>(list));
  const Tensor<double, Cpu> x = concat(special, numbers<double>({181}, -4, 4));
  if constexpr (std::same_as<T, bool>) return x > 0;
  else return cast<T>(x);
}
template <class T, class D, class F>
void check_function(double epsilons, F f) {
  check_same<D>(epsilons, f, special_numbers<T>());
}

/// The element type that rows are compared in: `float` if they have it.
template <class Row>
using compared_t = std::conditional_t<Row::template accepts<float>, float,
                                      std::conditional_t<Row::template accepts<std::int64_t>, std::int64_t, bool>>;

/// The value of the row of number `which`, of several: one expression, and so one kernel, for all of them, since a kernel takes
/// longer to compile than a function in it.
template <class W, class Row, class... X>
auto choose(std::int64_t, const W&, std::tuple<const X&...> x, const Row& row) {
  return std::apply(row.call, x);
}
template <class W, class Row, class... Rows, class... X>
  requires(sizeof...(Rows) > 0)
auto choose(std::int64_t first, const W& which, std::tuple<const X&...> x, const Row& row, const Rows&... rows) {
  return where(which == first, std::apply(row.call, x), choose(first + 1, which, x, rows...));
}

/// What all rows of a family give, one after the other, on device `D`.
template <class D, class... Rows, class... X>
auto values_on(std::tuple<X...> operands, const Rows&... rows) {
  constexpr std::int64_t count = sizeof...(Rows);
  const Tensor which = repeat(arange<std::int64_t>(count), std::get<0>(operands).size()).to(D{});
  const auto on_device = std::apply([](const auto&... x) { return std::tuple(tile(x, {count}).to(D{})...); }, operands);
  return std::apply([&](const auto&... x) { return eval(choose(0, which, std::tie(x...), rows...)); }, on_device);
}
/// How far two devices may be from each other, of what a row allows each from the exact value: a GPU has formulas of its own
/// for `float`, and rounds a product and a sum once. The emulation computes as the host does.
#if defined(__CUDACC__) || defined(SITU_EMULATED_CONTRACTION)
inline constexpr double most_apart = 2;
#else
inline constexpr double most_apart = 1;
#endif

/// Checks that zeros are those of the CPU, of either sign: `check_elements` takes one for the other.
template <class Got, class Wanted>
void check_zeros(const Got& got, const Wanted& wanted) {
  if constexpr (OneOf<value_type_t<Got>, float, double>) {
    const auto zeros = [](const auto& x) {
      std::vector<int> signs;
      for (const auto v : elements(x)) signs.push_back(v != 0 ? 0 : std::signbit(v) ? -1 : 1);
      return signs;
    };
    CHECK(zeros(got) == zeros(wanted));
  }
}

/// Compares the rows of a family, all of them of one element type, with the CPU.
template <class D, class... Rows, class... X>
void check_rows(std::tuple<X...> operands, const Rows&... rows) {
  if constexpr (!std::same_as<typename D::backend, Cpu::backend>) {
    const auto got = values_on<D>(operands, rows...);
    const auto wanted = values_on<Cpu>(operands, rows...);
    const std::int64_t size = std::get<0>(operands).size();
    std::int64_t at = 0;
    const auto compare = [&](const auto& row) {
      CAPTURE(std::string(row.name));
      check_elements(got(range(at, at + size)), wanted(range(at, at + size)), most_apart * row.ulps.of_float);
      check_zeros(got(range(at, at + size)), wanted(range(at, at + size)));
      at += size;
    };
    (compare(rows), ...);
  }
}
template <class D>
constexpr auto unary_on = []<class First, class... Rest>(const First& first, const Rest&... rest) {
  check_rows<D>(std::tuple(special_numbers<compared_t<First>>()), first, rest...);
};
template <class D>
constexpr auto binary_on = []<class First, class... Rest>(const First& first, const Rest&... rest) {
  const auto x = special_numbers<compared_t<First>>();
  check_rows<D>(std::tuple(tile(x, {7}), contiguous(flatten(repeat(x(range(0, 7 * 28, 28)), x.size())))), first, rest...);
};

/// Every function on its own. The golden tests have NumPy's answers to the same.
TEST_CASE_TEMPLATE_DEFINE("functions", D, functions) {
  function_table::arithmetic(unary_on<D>);
  function_table::rounding(unary_on<D>);
  function_table::exponentials(unary_on<D>);
  function_table::trigonometric(unary_on<D>);
  function_table::hyperbolic(unary_on<D>);
  function_table::smooth_activations(unary_on<D>);
  function_table::rectifiers(unary_on<D>);
  function_table::predicates(unary_on<D>);
  function_table::inversions([](const auto&... row) { (unary_on<D>(row), ...); });  // of two element types
  function_table::operators(binary_on<D>);
  function_table::functions_of_two(binary_on<D>);
  function_table::comparisons(binary_on<D>);
  function_table::logic(binary_on<D>);
  function_table::bitwise(binary_on<D>);
  check_function<double, D>(8, [](const auto& x) { return exp(x) * 2 + sin(x); });
  check_function<double, D>(4, [](const auto& x) { return erf(x); });
  check_function<float16, D>(1, [](const auto& x) { return tanh(x) * 2 + exp(x); });
  check_function<bfloat16, D>(1, [](const auto& x) { return gelu(x) / 2; });
}

}  // namespace conformance
