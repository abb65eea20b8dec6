// SPDX-License-Identifier: Apache-2.0
// Floats of 8 bits: what their 256 bit patterns are, and what every float16 and what lies beside a midpoint rounds to,
// against a search among these; lanes and numbers; what tensors of them do.
// labels: values
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <situ/float8.hpp>
#include <situ/io.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

/// What the bits of a number without a sign are, by the definition of the format.
template <class T>
double value_of(int bits) {
  constexpr bool wide = std::same_as<T, float8_e5m2>;
  constexpr int mantissa = wide ? 2 : 3, bias = wide ? 15 : 7;
  if (wide && bits == 0x7c) return std::numeric_limits<double>::infinity();
  if (wide ? bits > 0x7c : bits == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = bits >> mantissa, fraction = bits & ((1 << mantissa) - 1);
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - mantissa);
  return std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
}

/// The bits of the nearest number, of two the even one; beyond the largest and half a step what the format has there.
template <class T>
int nearest(double x, const std::vector<double>& values) {
  constexpr bool wide = std::same_as<T, float8_e5m2>;
  const int sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return sign | (wide ? 0x7e : 0x7f);
  const double magnitude = std::abs(x);
  const int largest = static_cast<int>(values.size()) - 1;
  int above = 0;
  while (above <= largest && values[static_cast<std::size_t>(above)] < magnitude) ++above;
  const auto value = [&](int bits) {
    if (bits <= largest) return values[static_cast<std::size_t>(bits)];
    return 2 * values.back() - values[values.size() - 2];  // that would follow
  };
  if (above > largest + 1 || magnitude > value(largest + 1)) return sign | (largest + 1);
  if (above == 0) return sign;
  const double down = magnitude - value(above - 1), up = value(above) - magnitude;
  return sign | (down < up || (down == up && above % 2 == 1) ? above - 1 : above);
}

template <class T>
std::vector<double> finite_values() {
  std::vector<double> values;
  while (std::isfinite(value_of<T>(static_cast<int>(values.size())))) values.push_back(value_of<T>(static_cast<int>(values.size())));
  return values;
}

/// Every float16, and each midpoint of two numbers with its neighbours among floats.
template <class T>
std::vector<float> inputs() {
  std::vector<float> x;
  for (int bits = 0; bits < 65536; ++bits) x.push_back(static_cast<float>(std::bit_cast<float16>(static_cast<std::uint16_t>(bits))));
  std::vector<double> values = finite_values<T>();
  values.push_back(2 * values.back() - values[values.size() - 2]);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto middle = static_cast<float>((values[i - 1] + values[i]) / 2);
    for (const float v : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e30f)}) x.push_back(v), x.push_back(-v);
  }
  for (const float v : {1e30f, std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()}) x.push_back(v), x.push_back(-v);
  return x;
}

}  // namespace

TEST_CASE_TEMPLATE("bit patterns of 8-bit floats", T, float8_e4m3fn, float8_e5m2) {
  int different = 0;
  for (int bits = 0; bits < 256; ++bits) {
    const double wanted = (bits < 128 ? 1 : -1) * value_of<T>(bits & 0x7f);
    const float got = static_cast<float>(std::bit_cast<T>(static_cast<std::uint8_t>(bits)));
    different += std::isnan(wanted) ? !std::isnan(got) : got != static_cast<float>(wanted) || std::signbit(got) != (bits > 127);
  }
  CHECK(different == 0);
  CHECK(T::largest == finite_values<T>().back());
  static_assert(sizeof(T) == 1 && static_cast<float>(T(1.0f)) == 1.0f);
}

TEST_CASE_TEMPLATE("every float16 rounds to the nearest 8-bit float, on lanes and alone", T, float8_e4m3fn, float8_e5m2) {
  const std::vector<float> x = inputs<T>();
  const std::vector<double> values = finite_values<T>();
  const Tensor<float> given = from_span<float>(x);
  const Tensor<T> stored = cast<T>(given), limited = saturate_cast<T>(given);
  const Tensor<float> widened = cast<float>(stored);
  int alone = 0, on_lanes = 0, saturated = 0, back = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const int wanted = nearest<T>(static_cast<double>(x[i]), values);
    const bool is_finite = (wanted & 0x7f) < static_cast<int>(values.size());
    const bool keeps = is_finite || std::isnan(x[i]);
    alone += T(x[i]).bits != wanted;
    on_lanes += stored(at).bits != wanted;
    saturated += limited(at).bits != (keeps ? wanted : ((wanted & 0x80) | (static_cast<int>(values.size()) - 1)));
    const float value = widened(at), same = static_cast<float>(stored(at));
    back += !(value == same || (std::isnan(value) && std::isnan(same)));
  }
  CHECK(alone == 0);
  CHECK(on_lanes == 0);
  CHECK(saturated == 0);
  CHECK(back == 0);
  // doubles round once
  const double middle = (values[9] + values[10]) / 2, beside = std::nextafter(middle, 0.0);
  CHECK(eval(cast<T>(full<double>({1}, beside)))(0).bits == 9);
}

TEST_CASE_TEMPLATE("8-bit floats are kept, moved, indexed, printed and written", T, float8_e4m3fn, float8_e5m2) {
  const Tensor<T> x = cast<T>(reshape(arange<float>(6), {2, 3}));
  CHECK(array_equal(cast<float>(transpose(x)), transpose(reshape(arange<float>(6), {2, 3}))).item());
  CHECK(array_equal(cast<float>(concat(x, x)(3, all)), eval(cast<float>(x(1, all)))).item());
  CHECK(to_string(x(1, all)) == "tensor([3., 4., 5.], shape=(3,), dtype=" + std::string(dtype_name<T>()) + ", device='cpu')");
  const std::filesystem::path file = std::filesystem::temp_directory_path() / (std::string(dtype_name<T>()) + "_situ.safetensors");
  save(file, "x", x);
  CHECK(array_equal(cast<float>(load(file).at("x").get<T>()), eval(cast<float>(x))).item());
  std::filesystem::remove(file);
  static_assert(!requires { x + x; } && !requires { sum(x); } && !requires { max(x); } &&
                !requires { cumsum(x, 0); } && !requires { x == x; } && !NumberElement<T>);
}
