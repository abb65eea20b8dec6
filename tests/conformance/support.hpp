// SPDX-License-Identifier: Apache-2.0
// What the files of the conformance suite share. Operands are made on the host and moved, results are moved back, so that
// nothing here reads a device's memory.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <situ/situ.hpp>

namespace conformance {

using namespace situ;

/// Elements of a result, on the host, in row-major order.
template <class X>
auto elements(const X& x) {
  using T = value_type_t<X>;
  const Tensor<T, Cpu> host = Tensor<T, device_t<X>>(x).to(Cpu{});
  return std::vector<T>(host.begin(), host.end());
}

/// 0, 1, 2, ... 99, 0, ... in a shape, on device `D`.
template <class T, class D = Cpu>
Tensor<T, D> counting(const Shape& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.count(); ++i) values.push_back(static_cast<T>(static_cast<compute_t<T>>(i % 100)));
  return from_span<T>(std::span<const T>(values), shape, D{});
}

/// Random numbers of [low, high) on the host, the same for every device; integers are rounded.
template <class T>
Tensor<T, Cpu> numbers(const Shape& shape, double low = -2, double high = 2, std::uint64_t seed = 1) {
  Generator generator(seed);
  const Tensor<double, Cpu> x = rand<double>(shape, Cpu{}, generator) * (high - low) + low;
  if constexpr (FloatingElement<T>) return cast<T>(x);
  else return cast<T>(round(x));
}

/// Shapes that break kernels: none, one, odd, larger than a tile, more axes.
inline const std::vector<Shape>& shapes() {
  static const std::vector<Shape> list{{},       {0},         {1},     {17},        {3, 0},
                                       {5, 7},   {2, 3, 5},   {131},   {70, 67},    {1, 1, 300},
                                       {3, 1, 2, 5, 3}, {4099}};
  return list;
}

/// Whether two elements are the same, NaN like NaN, or differ by at most `epsilons` of the larger one's last place.
template <class T>
bool same(T got, T wanted, double epsilons) {
  if constexpr (FloatingElement<T>) {
    const auto g = static_cast<double>(static_cast<compute_t<T>>(got));
    const auto w = static_cast<double>(static_cast<compute_t<T>>(wanted));
    if (std::isnan(w)) return std::isnan(g);
    if (g == w) return true;
    constexpr double epsilon = std::same_as<T, double>     ? 0x1p-52
                               : std::same_as<T, float>    ? 0x1p-23
                               : std::same_as<T, float16>  ? 0x1p-10
                                                           : 0x1p-7;
    // Where both are tiny they may differ by a last place of a number that is not.
    return std::abs(g - w) <= epsilons * epsilon * std::max(std::abs(w), 0x1p-14);
  } else {
    return got == wanted;
  }
}

/// Checks shape and elements of `got`, on any device, against `wanted`, on the host; one message, for the first that differs.
template <class Got, class Wanted>
void check_elements(const Got& got, const Wanted& wanted, double epsilons = 0) {
  using T = value_type_t<Got>;
  static_assert(std::same_as<T, value_type_t<Wanted>>);
  REQUIRE(got.shape() == wanted.shape());
  const std::vector<T> a = elements(got);
  const std::vector<T> b = elements(wanted);
  std::size_t first = 0;
  while (first < a.size() && same<T>(a[first], b[first], epsilons)) ++first;
  if (first < a.size()) {
    CAPTURE(got.shape().to_string());
    CAPTURE(first);
    CAPTURE(static_cast<double>(static_cast<compute_t<T>>(a[first])));
    CAPTURE(static_cast<double>(static_cast<compute_t<T>>(b[first])));
    FAIL_CHECK("an element differs from what the CPU gives");
  } else {
    CHECK(first == a.size());
  }
}

/// Checks that `f` of operands on device `D` gives what it gives on the CPU. For devices that the CPU computes for, nothing is
/// compiled: it would be compared with itself, and the unit and golden tests have other references.
template <class D, class F, TensorLike... X>
void check_same(double epsilons, F f, const X&... operands) {
  if constexpr (!std::same_as<typename D::backend, Cpu::backend>) {
    check_elements(f(eval(operands).to(D{})...), f(eval(operands)...), epsilons);
  }
}

}  // namespace conformance
