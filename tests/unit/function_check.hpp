// SPDX-License-Identifier: Apache-2.0
// Checks of the rows of functions.hpp on one element type: lanes give the bits of scalars, in every position, and no error is
// above the row's.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <situ/core/lane.hpp>

#include "../functions.hpp"
#include "math_ulp.hpp"

namespace math_test {

/// Numbers that have something special for somebody.
template <class T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::same_as<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    std::vector<T> list{T(0), T(1), T(2), T(3), T(7), T(10), limits::max(), limits::lowest()};
    if constexpr (std::is_signed_v<T>) list.insert(list.end(), {T(-1), T(-2), T(-3), T(-7), T(-10)});
    return list;
  } else {
    std::vector<T> list{limits::quiet_NaN()};
    for (const T v : {T(0), T(0.1), T(0.5), T(1), T(1.5), T(2), T(2.5), T(3), T(7), T(10), T(12.5), T(90), T(100), T(1000),
                      T(3e5), T(1e9), T(1e10), T(1e-20), T(2.5e30), T(0.99), limits::min(), limits::denorm_min(),
                      limits::max(), limits::infinity(), limits::epsilon(), std::nextafter(T(1), T(0))}) {
      list.push_back(v);
      list.push_back(-v);
    }
    return list;
  }
}

/// Random numbers; the same each time.
template <class T>
struct Numbers {
  std::mt19937_64 random{20240501};

  double uniform(double low, double high) { return low + (high - low) * std::ldexp(static_cast<double>(random() >> 11), -53); }
  /// Of floats any bits; to where 2^x is 0 and infinite; any magnitude; near 0; close to 1; or within the interval.
  T next(function_table::Interval interval) {
    if constexpr (std::same_as<T, bool>) {
      return random() % 2 == 0;
    } else if constexpr (std::is_integral_v<T>) {
      return random() % 2 == 0 ? static_cast<T>(random()) : static_cast<T>(static_cast<int>(random() % 41) - 20);
    } else {
      constexpr double edge = std::numeric_limits<T>::max_exponent + std::numeric_limits<T>::digits;
      switch (random() % 6) {
        case 0: return situ::internal::lane::from_bits<T>(static_cast<situ::internal::bits_t<T>>(random()));
        case 1: return static_cast<T>(uniform(-edge, edge));
        case 2: return static_cast<T>(std::copysign(std::exp2(uniform(-32, 10)), uniform(-1, 1)));
        case 3: return static_cast<T>(uniform(-2, 2));
        case 4: return static_cast<T>(1 + std::ldexp(uniform(-1, 1), -static_cast<int>(random() % 30)));
        default: return static_cast<T>(uniform(interval.low, interval.high));
      }
    }
  }
};

/// Operands as lanes hold them.
template <class T>
using Block = std::array<T, lanes>;
inline constexpr std::size_t blocks = 4000;

/// Equal to the bit, or both NaN.
template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

/// What the check needs of a row, by pointers: it is compiled once for all rows of the same types, which is most of the time
/// that the tests take to compile.
template <class R, class... X>
struct Compiled {
  const void* row;
  const char* name;
  double bound;
  void (*on_lanes)(const void* row, R* result, const X*... x);
  R (*alone)(const void* row, X... x);
  double (*error)(const void* row, R result, X... x);
};

/// A row for operands `X...`. Where there is only one right answer, a wrong one is infinitely wrong; integers that may
/// overflow have their answers in functional.cpp.
template <class... X, class Row>
auto compiled(const Row& row) {
  using R = decltype(row.functor(X()...));
  using T = std::tuple_element_t<0, std::tuple<X...>>;
  return Compiled<R, X...>{
      &row, row.name, row.ulps.template of<T>(),
      [](const void* r, R* result, const X*... x) {
        situ::internal::cpu::store(result, static_cast<const Row*>(r)->functor(situ::internal::cpu::load<X, lanes>(x)...));
      },
      [](const void* r, X... x) -> R { return static_cast<const Row*>(r)->functor(x...); },
      [](const void* r, R result, X... x) -> double {
        const auto& reference = static_cast<const Row*>(r)->reference;
        if constexpr (std::same_as<R, bool> || !Row::template accepts<float>) {
          return result == reference(x...) ? 0 : std::numeric_limits<double>::infinity();
        } else if constexpr (std::is_floating_point_v<R>) {
          return ulp_error(result, static_cast<long double>(reference(static_cast<long double>(x)...)));
        } else {
          return 0;
        }
      }};
}

/// Checks a row at all operands.
template <class R, class... X>
void check_at(const Compiled<R, X...>& row, const std::vector<Block<X>>&... x) {
  double worst = -1;
  std::string worst_at;
  int different = 0;
  for (std::size_t i = 0; i != blocks; ++i) {
    R together[lanes];
    row.on_lanes(row.row, together, x[i].data()...);
    for (std::size_t k = 0; k != lanes; ++k) {
      const R result = row.alone(row.row, x[i][k]...);
      different += !same(result, together[k]);
      const double error = row.error(row.row, result, x[i][k]...);
      if (error > worst) worst = error, worst_at = ((std::to_string(x[i][k]) + " ") + ...);
    }
  }
  CAPTURE(std::string(row.name));
  CAPTURE(std::string(situ::dtype_name<R>()));
  CAPTURE(worst_at);
  CHECK(worst <= row.bound);
  CHECK(different == 0);
}

/// A row of one operand: every special value in every position, beside random ones, and random ones.
template <class T, class F, class... More>
void check_values(const function_table::Unary<F, More...>& row) {
  Numbers<T> numbers;
  std::vector<Block<T>> x(blocks);
  for (Block<T>& block : x) std::ranges::generate(block, [&] { return numbers.next(row.interval); });
  std::size_t at = 0;
  for (const T value : special_values<T>()) {
    for (std::size_t position = 0; position != lanes; ++position) x[at++][position] = value;
  }
  check_at(compiled<T>(row), x);
}

/// A row of two operands: all pairs of special values, and random ones; half of these have a positive left operand, and half a
/// whole right one.
template <class T, class F, class... More>
void check_values(const function_table::Binary<F, More...>& row) {
  Numbers<T> numbers;
  std::vector<Block<T>> a(blocks), b(blocks);
  std::size_t at = 0;
  for (const T left : special_values<T>()) {
    for (const T right : special_values<T>()) {
      a[at / lanes][at % lanes] = left;
      b[at / lanes][at % lanes] = right;
      ++at;
    }
  }
  for (; at != lanes * blocks; ++at) {
    T& left = a[at / lanes][at % lanes] = numbers.next(row.left);
    T& right = b[at / lanes][at % lanes] = numbers.next(row.right);
    if constexpr (std::is_floating_point_v<T>) {
      if (numbers.random() % 2 == 0) left = std::abs(left);
      if (numbers.random() % 2 == 0) right = static_cast<T>(std::round(numbers.uniform(-20, 20)));
    }
  }
  check_at(compiled<T, T>(row), a, b);
}

/// Checks the rows of a family that have elements `T`: `trigonometric(check_family<float>)`.
template <class T>
inline constexpr auto check_row = []<class Row>(const Row& row) {
  if constexpr (Row::template accepts<T>) check_values<T>(row);
};
template <class T>
inline constexpr auto check_family = [](const auto&... row) { (check_row<T>(row), ...); };

}  // namespace math_test
