// SPDX-License-Identifier: Apache-2.0
// The element-wise functors: what they accept, their results on special values, and lanes that agree with scalars.
// labels: values
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <situ/core/dtype.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/formula/functional/select.hpp>

#include "function_check.hpp"

namespace {

namespace f = situ::internal::functional;
using math_test::lanes;
using math_test::same;
using situ::bfloat16;
using situ::float16;
using situ::internal::cpu::load;

/// A cast on lanes and on numbers: the same.
template <class T, class To>
void check_cast() {
  math_test::Numbers<T> numbers;
  std::vector<T> x = math_test::special_values<T>();
  while (x.size() % lanes != 0 || x.size() < 1024) x.push_back(numbers.next({}));
  const f::Cast<To> cast;
  int different = 0;
  for (std::size_t i = 0; i < x.size(); i += lanes) {
    decltype(cast(x[0])) together[lanes];
    situ::internal::cpu::store(together, cast(load<T, lanes>(&x[i])));
    for (std::size_t j = 0; j < lanes; ++j) different += !same(together[j], cast(x[i + j]));
  }
  CAPTURE(std::string(situ::dtype_name<T>()));
  CAPTURE(std::string(situ::dtype_name<To>()));
  CHECK(different == 0);
}

}  // namespace

// Functions of floats alone are checked in math_*.cpp.
TEST_CASE_TEMPLATE("functors on bool and integers: lanes agree with scalars", T, bool, std::uint8_t, std::int32_t,
                   std::int64_t, std::int8_t, std::uint16_t, std::uint32_t) {
  function_table::for_each_unary(math_test::check_row<T>);
  function_table::for_each_binary(math_test::check_row<T>);
}

TEST_CASE_TEMPLATE("functors on floats: lanes agree with scalars, and both with the reference", T, float, double) {
  function_table::arithmetic(math_test::check_family<T>);
  function_table::rounding(math_test::check_family<T>);
  function_table::predicates(math_test::check_family<T>);
  function_table::operators(math_test::check_family<T>);
  function_table::comparisons(math_test::check_family<T>);
}

TEST_CASE_TEMPLATE("casts: lanes agree with scalars", T, std::uint8_t, std::int32_t, std::int64_t, float, double) {
  check_cast<T, bool>();
  check_cast<T, std::uint8_t>();
  check_cast<T, std::int32_t>();
  check_cast<T, std::int64_t>();
  check_cast<T, float16>();
  check_cast<T, bfloat16>();
  check_cast<T, float>();
  check_cast<T, double>();
}

TEST_CASE_TEMPLATE("casts of the other integers: lanes agree with scalars", T, std::int8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  check_cast<T, float>();
  check_cast<T, double>();
  check_cast<T, std::int32_t>();
  check_cast<T, std::int64_t>();
  check_cast<float, T>();
  check_cast<double, T>();
  check_cast<std::int32_t, T>();
  check_cast<std::int64_t, T>();
}

TEST_CASE("the table of functions has the names of the functors") {
  const auto check = [](const auto& row) {
    const std::string name = row.name;
    CHECK(name.substr(0, name.find('(')) == row.functor.name);
  };
  function_table::for_each_unary(check);
  function_table::for_each_binary(check);
}

TEST_CASE("functors on integers: bits") {
  CHECK(f::BitNot{}(std::uint8_t(1)) == std::uint8_t(254));
  CHECK(f::BitNot{}(true) == false);
}

TEST_CASE("arithmetic as NumPy defines it, and where situ decides otherwise") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  constexpr std::int32_t smallest = std::numeric_limits<std::int32_t>::min();
  CHECK(f::Add{}(std::numeric_limits<std::int32_t>::max(), 1) == smallest);
  CHECK(f::Add{}(std::uint8_t(250), std::uint8_t(10)) == 4);
  CHECK(f::FloorDivide{}(7, 0) == 0);
  CHECK(f::FloorDivide{}(-7, 2) == -4);
  CHECK(f::FloorDivide{}(smallest, -1) == smallest);
  CHECK(f::FloorDivide{}(-7.0f, 2.0f) == -4.0f);
  CHECK(f::FloorDivide{}(1.0, 0.1) == 9.0);
  CHECK(f::Remainder{}(-7, 3) == 2);
  CHECK(f::Remainder{}(7, -3) == -2);
  CHECK(f::Remainder{}(7, 0) == 0);
  CHECK(f::Remainder{}(5.5f, -2.0f) == -0.5f);
  CHECK(f::Fmod{}(-5.5f, 2.0f) == -1.5f);
  CHECK(f::Fmod{}(-7, 3) == -1);
  CHECK(f::Fmod{}(7, -3) == 1);
  CHECK(f::Fmod{}(7, 0) == 0);
  CHECK(f::Fmod{}(smallest, -1) == 0);
  CHECK(f::TruncDivide{}(-7, 2) == -3);
  CHECK(f::TruncDivide{}(smallest, -1) == smallest);
  CHECK(f::LeftShift{}(1, 31) == smallest);
  CHECK(f::LeftShift{}(1, 32) == 0);
  CHECK(f::LeftShift{}(1, -1) == 0);
  CHECK(f::LeftShift{}(std::uint8_t(255), std::uint8_t(1)) == 254);
  CHECK(f::RightShift{}(-8, 1) == -4);
  CHECK(f::RightShift{}(-8, 99) == -1);
  CHECK(f::RightShift{}(std::uint8_t(255), std::uint8_t(8)) == 0);
  CHECK(f::Absolute{}(smallest) == smallest);
  CHECK(same(f::Absolute{}(-0.0f), 0.0f));
  CHECK(same(f::Negate{}(0.0f), -0.0f));
  CHECK(f::Sign{}(-3.5) == -1.0);
  CHECK(f::Sign{}(std::uint8_t(9)) == 1);
  CHECK(std::isnan(f::Sign{}(nan)));
  CHECK(std::isnan(f::Minimum{}(nan, 1.0f)));
  CHECK(std::isnan(f::Minimum{}(1.0f, nan)));
  CHECK(std::isnan(f::Maximum{}(nan, 1.0f)));
  CHECK(std::isnan(f::Maximum{}(1.0f, nan)));
  CHECK(f::Maximum{}(-infinity, 1.0f) == 1.0f);
  CHECK(f::Round{}(2.5f) == 2.0f);
  CHECK(f::Round{}(7) == 7);
  CHECK(f::Pow{}(2, 10) == 1024);
  CHECK(f::Pow{}(2, -1) == 0);
  CHECK(f::Pow{}(-1, -3) == -1);
  CHECK(f::IsNan{}(nan));
  CHECK_FALSE(f::IsNan{}(3));
  CHECK(f::IsInf{}(-infinity));
  CHECK_FALSE(f::IsFinite{}(infinity));
  CHECK(f::IsFinite{}(std::int64_t(3)));
}

TEST_CASE("where, clamp and logic on lanes, with masks of every width") {
  const std::vector<float> x = {-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  bool flags[lanes];
  for (int i = 0; i < lanes; ++i) flags[i] = i % 3 == 0;
  const auto v = load<float, lanes>(x.data());
  const auto mask = load<bool, lanes>(flags);
  const auto chosen = f::Where{}(mask, v, f::Negate{}(v));
  const auto limited = f::Clamp{}(v, decltype(v)(0.0f), decltype(v)(5.0f));
  const auto both = f::LogicalAnd{}(mask, f::Greater{}(v, decltype(v)(3.0f)));
  const auto either = f::LogicalOr{}(f::Greater{}(v, decltype(v)(3.0f)), mask);
  const auto neither = f::LogicalNot{}(either);
  const auto masks = f::Where{}(mask, f::Less{}(v, decltype(v)(4.0f)), mask);
  for (int i = 0; i < lanes; ++i) {
    const float element = x[static_cast<std::size_t>(i)];
    CHECK(chosen[i] == (flags[i] ? element : -element));
    CHECK(limited[i] == f::Clamp{}(element, 0.0f, 5.0f));
    CHECK(both[i] == (flags[i] && element > 3.0f));
    CHECK(either[i] == (flags[i] || element > 3.0f));
    CHECK(neither[i] == !(flags[i] || element > 3.0f));
    CHECK(masks[i] == (flags[i] ? element < 4.0f : flags[i]));
  }
  CHECK(f::Clamp{}(9.0f, 0.0f, 5.0f) == 5.0f);
  CHECK(f::Clamp{}(1.0f, 6.0f, 5.0f) == 5.0f);
  CHECK(std::isnan(f::Clamp{}(std::nanf(""), 0.0f, 5.0f)));
  CHECK(f::Where{}(true, 1, 2) == 1);
  CHECK(f::Where{}(false, true, false) == false);
}

TEST_CASE("casts to 16-bit floats round once") {
  // 1 + 2^-11 is halfway between two float16; 2^-40 above it must round up, which the nearest float has lost.
  const double above = 1.0 + 0x1p-11 + 0x1p-40;
  CHECK(f::Cast<float16>{}(above) == 1.0f + 0x1p-10f);
  CHECK(f::Cast<float16>{}(1.0 + 0x1p-11) == 1.0f);
  CHECK(f::Cast<float16>{}(1.0 + 3 * 0x1p-11 - 0x1p-40) == 1.0f + 0x1p-10f);
  CHECK(f::Cast<bfloat16>{}(std::int32_t((1 << 30) + (1 << 22) + 1)) == 0x1p30f + 0x1p23f);
  CHECK(f::Cast<float16>{}(1e300) == std::numeric_limits<float>::infinity());
  CHECK(f::Cast<float16>{}(-1e-300) == 0.0f);
  CHECK(std::isnan(f::Cast<float16>{}(std::nan(""))));
  CHECK(f::Cast<bool>{}(std::nan("")));
  CHECK(f::Cast<std::int32_t>{}(-2.9) == -2);
}

TEST_CASE("what functors accept") {
  static_assert(f::Add::accepts<float16> && f::Add::accepts<std::uint8_t> && !f::Add::accepts<bool>);
  static_assert(f::Divide::accepts<double> && !f::Divide::accepts<std::int32_t>);
  static_assert(f::Exp::accepts<bfloat16> && !f::Exp::accepts<std::int64_t>);
  static_assert(f::LogicalAnd::accepts<bool> && !f::LogicalAnd::accepts<float>);
  static_assert(f::BitXor::accepts<bool> && f::BitXor::accepts<std::uint8_t> && !f::BitXor::accepts<float>);
  static_assert(std::is_same_v<f::Less::result<float>, bool>);
  static_assert(std::is_same_v<f::Cast<float16>::result<double>, float16>);
  static_assert(std::is_trivially_copyable_v<f::Cast<float>> && std::is_empty_v<f::Add>);
  CHECK(std::string(f::FloorDivide::name) == "floor_divide");
}
