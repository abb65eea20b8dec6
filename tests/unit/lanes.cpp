// SPDX-License-Identifier: Apache-2.0
// Lanes agree with the scalar primitives element by element, for every element type, with awkward values.
// labels: values
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/lanes.hpp>

namespace {

namespace host = situ::internal::cpu;
namespace lane = situ::internal::lane;
using host::Lanes;
using host::load;
using host::Mask;
using host::store;
using situ::bfloat16;
using situ::float16;

/// Equal to the bit, or both NaN.
template <class T>
bool same(T a, T b) {
  if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Random values with the awkward ones among them; a multiple of 64 of them.
template <class T>
std::vector<T> samples(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    for (const double v :
         {0.0, 0.5, 1.0, 1.5, 2.5, 0.3, 255.0, 256.0, 2147483647.0, 2147483648.0, 9.2233720368547758e18, 1e30,
          8388607.5, 8388608.0, 4503599627370495.5, 4503599627370496.0}) {
      values.push_back(static_cast<T>(v));
      values.push_back(static_cast<T>(-v));
    }
    for (const T v : {limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min()}) {
      values.push_back(v);
      values.push_back(-v);
    }
    while (values.size() < 4096) {
      values.push_back(lane::from_bits<T>(static_cast<situ::internal::bits_t<T>>(random())));
      const double mantissa = static_cast<double>(random() >> 11);
      values.push_back(static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % 20) - 60)));
    }
  } else {
    for (const T v : {limits::min(), limits::max(), T(limits::max() - 1), T(limits::min() + 1), T(0), T(1), T(-1), T(2),
                      T(-2), T(7), T(-7), T(10), T(-10)}) {
      for (int i = 0; i < 13; ++i) values.push_back(v);
    }
    while (values.size() < 4096) {
      values.push_back(static_cast<T>(random()));
      values.push_back(static_cast<T>(static_cast<int>(random() % 41) - 20));
    }
  }
  values.resize(4096);
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

/// Applies `f` to lanes and to scalars; both must agree to the bit on every element.
template <class T, int N, class F>
void check_unary(const char* name, F f) {
  const std::vector<T> x = samples<T>(1);
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); i += N) {
    const auto lanes = f(load<T, N>(&x[i]));
    for (int j = 0; j < N; ++j) wrong += !same(lanes[j], f(x[i + static_cast<std::size_t>(j)]));
  }
  INFO(std::string(name), " on ", situ::dtype_name<T>(), " lanes of ", N);
  CHECK(wrong == 0);
}

template <class T, int N, class F>
void check_binary(const char* name, F f) {
  const std::vector<T> x = samples<T>(2);
  const std::vector<T> y = samples<T>(3);
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); i += N) {
    const auto lanes = f(load<T, N>(&x[i]), load<T, N>(&y[i]));
    for (int j = 0; j < N; ++j) {
      const std::size_t k = i + static_cast<std::size_t>(j);
      wrong += !same(lanes[j], f(x[k], y[k]));
    }
  }
  INFO(std::string(name), " on ", situ::dtype_name<T>(), " lanes of ", N);
  CHECK(wrong == 0);
}

/// Integers of every type, as the scalar operators promote: compare after converting back.
template <class T, int N>
void check_numbers() {
  using namespace situ::internal::lane;
  using lane::abs, lane::ceil, lane::floor, lane::fma, lane::sqrt, lane::trunc;  // hide those of the C library
  check_binary<T, N>("add", [](auto a, auto b) { return add(a, b); });
  check_binary<T, N>("subtract", [](auto a, auto b) { return subtract(a, b); });
  check_binary<T, N>("multiply", [](auto a, auto b) { return multiply(a, b); });
  check_unary<T, N>("negate", [](auto a) { return negate(a); });
  check_unary<T, N>("abs", [](auto a) { return abs(a); });
  check_binary<T, N>("min_number", [](auto a, auto b) { return min_number(a, b); });
  check_binary<T, N>("max_number", [](auto a, auto b) { return max_number(a, b); });
  check_binary<T, N>("==", [](auto a, auto b) { return a == b; });
  check_binary<T, N>("!=", [](auto a, auto b) { return a != b; });
  check_binary<T, N>("<", [](auto a, auto b) { return a < b; });
  check_binary<T, N>("<=", [](auto a, auto b) { return a <= b; });
  check_binary<T, N>(">", [](auto a, auto b) { return a > b; });
  check_binary<T, N>(">=", [](auto a, auto b) { return a >= b; });
  check_binary<T, N>("masks", [](auto a, auto b) { return !(a < b) && ((a == b) || (b < a)); });
  check_binary<T, N>("select", [](auto a, auto b) { return select(a < b, a, b); });
  check_unary<T, N>("to bool", [](auto a) { return convert<bool>(a); });
  check_unary<T, N>("to uint8", [](auto a) { return convert<std::uint8_t>(a); });
  check_unary<T, N>("to int32", [](auto a) { return convert<std::int32_t>(a); });
  check_unary<T, N>("to int64", [](auto a) { return convert<std::int64_t>(a); });
  check_unary<T, N>("to float", [](auto a) { return convert<float>(a); });
  check_unary<T, N>("to double", [](auto a) { return convert<double>(a); });
  check_unary<T, N>("mask to other widths", [](auto a) {
    using V = decltype(a);
    const auto m = a > V(T(3));
    using Doubles = situ::internal::rebind_lane_t<V, double>;
    using Bytes = situ::internal::rebind_lane_t<V, std::uint8_t>;
    const auto wide = select(m, Doubles(1.5), Doubles(-2.0));
    return select(m && (wide > Doubles(0.0)), Bytes(std::uint8_t(7)), Bytes(std::uint8_t(9)));
  });
}

template <class T, int N>
void check_floats() {
  using namespace situ::internal::lane;
  using lane::abs, lane::ceil, lane::floor, lane::fma, lane::sqrt, lane::trunc;  // hide those of the C library
  check_unary<T, N>("sqrt", [](auto a) { return sqrt(a); });
  check_unary<T, N>("floor", [](auto a) { return floor(a); });
  check_unary<T, N>("ceil", [](auto a) { return ceil(a); });
  check_unary<T, N>("trunc", [](auto a) { return trunc(a); });
  check_unary<T, N>("round_even", [](auto a) { return round_even(a); });
  check_unary<T, N>("sign_bit", [](auto a) { return sign_bit(a); });
  check_unary<T, N>("bits", [](auto a) {
    return from_bits<T>(shift_right_logical(to_bits(a), 3) | (to_bits(a) << 5) | (to_bits(a) >> 20));
  });
  check_binary<T, N>("copy_sign", [](auto a, auto b) { return copy_sign(a, b); });
  check_binary<T, N>("divide", [](auto a, auto b) { return a / b; });
  check_binary<T, N>("fma", [](auto a, auto b) { return fma(a, b, a); });
  check_binary<T, N>("mul_add", [](auto a, auto b) { return mul_add(a, b, b); });
  check_binary<T, N>("rounded_product", [](auto a, auto b) { return rounded_product(a, b) + a; });
}

template <class T, int N>
void check_integers() {
  using namespace situ::internal::lane;
  using lane::abs, lane::ceil, lane::floor, lane::fma, lane::sqrt, lane::trunc;  // hide those of the C library
  check_binary<T, N>("floor_divide", [](auto a, auto b) { return floor_divide(a, b); });
  check_binary<T, N>("remainder", [](auto a, auto b) { return remainder(a, b); });
  check_binary<T, N>("bits", [](auto a, auto b) {
    using V = decltype(a);
    return static_cast<V>((a & b) ^ (a | ~b));
  });
}

/// Loads and stores of a storage type, through float.
template <class S>
void check_half() {
  constexpr int n = 16;
  std::vector<S> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  int wrong = 0;
  for (std::size_t i = 0; i < all.size(); i += n) {
    const Lanes<float, n> x = load<S, n>(&all[i]);
    S back[n];
    store(back, x);
    for (std::size_t j = 0; j < n; ++j) {
      const float expected = static_cast<float>(all[i + j]);
      wrong += !same(x[static_cast<int>(j)], expected);
      wrong += expected == expected && back[j].bits != all[i + j].bits;
    }
  }
  CHECK(wrong == 0);
  const std::vector<float> values = samples<float>(7);
  for (std::size_t i = 0; i < values.size(); i += n) {
    const Lanes<float, n> rounded = host::round_to<S>(load<float, n>(&values[i]));
    for (std::size_t j = 0; j < n; ++j) wrong += !same(rounded[static_cast<int>(j)], lane::round_to<S>(values[i + j]));
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("lanes of numbers agree with scalars") {
  check_numbers<std::uint8_t, 16>();
  check_numbers<std::int32_t, 16>();
  check_numbers<std::int64_t, 16>();
  check_numbers<float, 16>();
  check_numbers<double, 16>();
  check_numbers<std::uint8_t, 64>();
  check_numbers<float, 64>();
  check_numbers<double, 8>();
}

TEST_CASE("lanes of floats agree with scalars") {
  check_floats<float, 16>();
  check_floats<double, 16>();
  check_floats<float, 64>();
  check_floats<double, 64>();
}

TEST_CASE("lanes of integers agree with scalars") {
  check_integers<std::uint8_t, 16>();
  check_integers<std::int32_t, 16>();
  check_integers<std::int64_t, 16>();
  check_integers<std::uint8_t, 64>();
}

TEST_CASE("scalar primitives give what they say") {
  CHECK(lane::convert<std::int32_t>(3e9f) == std::numeric_limits<std::int32_t>::max());
  CHECK(lane::convert<std::int32_t>(-3e9) == std::numeric_limits<std::int32_t>::min());
  CHECK(lane::convert<std::int64_t>(std::nan("")) == 0);
  CHECK(lane::convert<std::uint8_t>(-0.5f) == 0);
  CHECK(lane::convert<std::uint8_t>(254.9f) == 254);
  CHECK(lane::convert<std::uint8_t>(1000.0) == 255);
  CHECK(lane::convert<std::uint8_t>(std::int32_t(259)) == 3);
  CHECK(lane::convert<bool>(std::nanf("")));
  CHECK(lane::add(std::numeric_limits<std::int32_t>::max(), 1) == std::numeric_limits<std::int32_t>::min());
  CHECK(lane::multiply(std::int64_t(1) << 62, std::int64_t(4)) == 0);
  CHECK(lane::floor_divide(-7, 2) == -4);
  CHECK(lane::floor_divide(7, -2) == -4);
  CHECK(lane::floor_divide(7, 0) == 0);
  CHECK(lane::floor_divide(std::numeric_limits<std::int32_t>::min(), -1) == std::numeric_limits<std::int32_t>::min());
  CHECK(lane::remainder(-7, 3) == 2);
  CHECK(lane::remainder(7, -3) == -2);
  CHECK(lane::remainder(7, 0) == 0);
  CHECK(lane::remainder(std::numeric_limits<std::int64_t>::min(), std::int64_t(-1)) == 0);
  CHECK(lane::round_even(2.5f) == 2.0f);
  CHECK(lane::rounded_product(1.0 + 0x1p-30, 1.0 - 0x1p-30) == 1.0);
  CHECK(lane::fma(1.0 + 0x1p-30, 1.0 - 0x1p-30, -1.0) == -0x1p-60);
  CHECK(std::signbit(lane::rounded_product(-1.0f, 0.0f)));
}

TEST_CASE("16-bit floats") {
  check_half<float16>();
  check_half<bfloat16>();
}

TEST_CASE("masks: bytes of bool in and out, any, all") {
  constexpr int n = 64;
  std::uint8_t bytes[n];
  for (int i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 0 : i);  // any byte but zero is true
  const Mask<std::uint8_t, n> mask = load<bool, n>(reinterpret_cast<const bool*>(bytes));
  bool out[n];
  store(out, mask);
  std::uint8_t written[n];
  std::memcpy(written, out, n);
  for (int i = 0; i < n; ++i) CHECK(written[i] == (i % 3 == 0 ? 0 : 1));
  std::uint8_t widened[n];
  store(reinterpret_cast<bool*>(widened), host::mask_cast<double>(mask));
  CHECK(std::memcmp(widened, written, n) == 0);
  CHECK(any(mask));
  CHECK_FALSE(all(mask));
  CHECK(all(Mask<float, 16>(true)));
  CHECK_FALSE(any(Mask<float, 16>(false)));
  for (int i = 0; i < 16; ++i) {
    double values[16] = {};
    values[i] = 1.0;
    CHECK(any(load<double, 16>(values) > 0.0));
    CHECK_FALSE(all(load<double, 16>(values) == 0.0));
  }
}
