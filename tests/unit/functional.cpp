// SPDX-License-Identifier: Apache-2.0
// The element-wise functors: what they accept, their results on special values, and lanes that agree with scalars.
// labels: values
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <situ/core/dtype.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/formula/functional/exponential.hpp>
#include <situ/formula/functional/hyperbolic.hpp>
#include <situ/formula/functional/logical.hpp>
#include <situ/formula/functional/predicate.hpp>
#include <situ/formula/functional/rounding.hpp>
#include <situ/formula/functional/select.hpp>

namespace {

namespace f = situ::internal::functional;
using situ::bfloat16;
using situ::float16;
using situ::internal::cpu::load;

template <class T>
bool same(T a, T b) {
  if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
std::vector<T> awkward() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0), T(1), T(2), T(3), T(7), T(10), limits::max(), limits::lowest(), limits::min()};
  if constexpr (std::is_signed_v<T>) {
    for (const T v : {T(-1), T(-2), T(-3), T(-7), T(-10)}) values.push_back(v);
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (const T v : {T(-0.0), T(0.5), T(-0.5), T(1.5), T(2.5), T(-2.5), T(0.1), limits::infinity(),
                      -limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), T(1e9), T(-1e9)}) {
      values.push_back(v);
    }
  }
  return values;
}

constexpr int lanes = 16;

/// Out of line: one copy of the comparison for all functors keeps this file quick to compile.
template <class T>
[[gnu::noinline]] void check_same(const char* name, const T* together, const T* alone, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    INFO(std::string(name), " of the pair or value ", i, ": ", together[i], " in lanes, ", alone[i], " alone");
    CHECK(same(together[i], alone[i]));
  }
}

/// The functor on every pair of awkward values: lanes give what the scalar gives.
template <class T, class F>
void check_binary(F functor) {
  const std::vector<T> values = awkward<T>();
  std::vector<T> a;
  std::vector<T> b;
  for (const T x : values) {
    for (const T y : values) a.push_back(x), b.push_back(y);
  }
  while (a.size() % lanes != 0) a.push_back(T(1)), b.push_back(T(1));
  for (std::size_t i = 0; i < a.size(); i += lanes) {
    const auto result = functor(load<T, lanes>(&a[i]), load<T, lanes>(&b[i]));
    using R = decltype(functor(a[0], b[0]));
    R together[lanes];
    R alone[lanes];
    situ::internal::cpu::store(together, result);
    for (std::size_t j = 0; j < lanes; ++j) alone[j] = functor(a[i + j], b[i + j]);
    check_same(F::name, together, alone, lanes);
  }
}

template <class T, class F>
void check_unary(F functor) {
  std::vector<T> x = awkward<T>();
  while (x.size() % lanes != 0) x.push_back(T(1));
  for (std::size_t i = 0; i < x.size(); i += lanes) {
    const auto result = functor(load<T, lanes>(&x[i]));
    using R = decltype(functor(x[0]));
    R together[lanes];
    R alone[lanes];
    situ::internal::cpu::store(together, result);
    for (std::size_t j = 0; j < lanes; ++j) alone[j] = functor(x[i + j]);
    check_same(F::name, together, alone, lanes);
  }
}

template <class T>
void check_numbers() {
  check_binary<T>(f::Add{});
  check_binary<T>(f::Subtract{});
  check_binary<T>(f::Multiply{});
  check_binary<T>(f::FloorDivide{});
  check_binary<T>(f::Remainder{});
  check_binary<T>(f::Minimum{});
  check_binary<T>(f::Maximum{});
  check_binary<T>(f::Pow{});
  check_binary<T>(f::Equal{});
  check_binary<T>(f::NotEqual{});
  check_binary<T>(f::Less{});
  check_binary<T>(f::LessEqual{});
  check_binary<T>(f::Greater{});
  check_binary<T>(f::GreaterEqual{});
  check_unary<T>(f::Negate{});
  check_unary<T>(f::Absolute{});
  check_unary<T>(f::Square{});
  check_unary<T>(f::Sign{});
  check_unary<T>(f::Floor{});
  check_unary<T>(f::Ceil{});
  check_unary<T>(f::Round{});
  check_unary<T>(f::Trunc{});
  check_unary<T>(f::IsNan{});
  check_unary<T>(f::IsInf{});
  check_unary<T>(f::IsFinite{});
  check_unary<T>(f::Cast<bool>{});
  check_unary<T>(f::Cast<std::uint8_t>{});
  check_unary<T>(f::Cast<std::int32_t>{});
  check_unary<T>(f::Cast<std::int64_t>{});
  check_unary<T>(f::Cast<float16>{});
  check_unary<T>(f::Cast<bfloat16>{});
  check_unary<T>(f::Cast<float>{});
  check_unary<T>(f::Cast<double>{});
}

template <class T>
void check_floats() {
  check_binary<T>(f::Divide{});
  check_binary<T>(f::Fmod{});
  check_binary<T>(f::Hypot{});
  check_unary<T>(f::Sqrt{});
  check_unary<T>(f::Rsqrt{});
  check_unary<T>(f::Exp{});
  check_unary<T>(f::Exp2{});
  check_unary<T>(f::Expm1{});
  check_unary<T>(f::Log{});
  check_unary<T>(f::Log1p{});
  check_unary<T>(f::Log2{});
  check_unary<T>(f::Log10{});
  check_unary<T>(f::Sinh{});
  check_unary<T>(f::Cosh{});
  check_unary<T>(f::Tanh{});
  check_unary<T>(f::Asinh{});
  check_unary<T>(f::Acosh{});
  check_unary<T>(f::Atanh{});
}

}  // namespace

TEST_CASE("functors on numbers: lanes agree with scalars") {
  check_numbers<std::uint8_t>();
  check_numbers<std::int32_t>();
  check_numbers<std::int64_t>();
  check_numbers<float>();
  check_numbers<double>();
}

TEST_CASE("functors on floats: lanes agree with scalars") {
  check_floats<float>();
  check_floats<double>();
}

TEST_CASE("functors on integers: bits") {
  check_binary<std::uint8_t>(f::BitAnd{});
  check_binary<std::int32_t>(f::BitOr{});
  check_binary<std::int64_t>(f::BitXor{});
  check_unary<std::uint8_t>(f::BitNot{});
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
