// SPDX-License-Identifier: Apache-2.0
// Floats as kernels store them: their values, and how many floats lie between two of them.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ptx::harness {

enum class Element : std::uint8_t { float8_e4m3fn, float8_e5m2, float16, bfloat16, float32, float64 };

struct ElementType {
  Element element;
  std::string_view name;
  std::string_view in_types;  // as the type of a kernel has it
  std::size_t bytes;
  int exponent_bits;
  int fraction_bits;
};
inline constexpr std::array<ElementType, 6> element_types{
    {{Element::float8_e4m3fn, "float8_e4m3fn", "float8_e4m3fn", 1, 4, 3},
     {Element::float8_e5m2, "float8_e5m2", "float8_e5m2", 1, 5, 2},
     {Element::float16, "float16", "float16", 2, 5, 10},
     {Element::bfloat16, "bfloat16", "bfloat16", 2, 8, 7},
     {Element::float32, "float32", "float", 4, 8, 23},
     {Element::float64, "float64", "double", 8, 11, 52}}};
[[nodiscard]] constexpr const ElementType& type_of(Element element) {
  return element_types[static_cast<std::size_t>(element)];
}

/// The bits of a float, and what they mean.
class Float {
 public:
  Float(Element element, const char* at) : element_(element) { std::memcpy(&bits_, at, type_of(element).bytes); }

  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  [[nodiscard]] bool is_nan() const {
    // float8_e4m3fn has no infinity, and numbers in its place.
    if (element_ == Element::float8_e4m3fn) return (bits_ & (sign_bit() - 1)) == sign_bit() - 1;
    return exponent() == most_exponent() && fraction() != 0;
  }
  /// What a GPU computes where it has no number.
  [[nodiscard]] bool is_canonical_nan() const { return is_nan() && bits_ == (sign_bit() - 1); }
  [[nodiscard]] bool is_zero() const { return exponent() == 0 && fraction() == 0; }
  [[nodiscard]] bool is_subnormal() const { return exponent() == 0 && fraction() != 0; }
  [[nodiscard]] bool is_finite() const {
    return element_ == Element::float8_e4m3fn ? !is_nan() : exponent() != most_exponent();
  }
  [[nodiscard]] double value() const {
    if (element_ == Element::float64) return std::bit_cast<double>(bits_);
    if (element_ == Element::float32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits_));
    const double sign = (bits_ & sign_bit()) != 0 ? -1.0 : 1.0;
    if (!is_finite()) return sign * (is_nan() ? std::nan("") : HUGE_VAL);
    const int bias = (1 << (type().exponent_bits - 1)) - 1;
    const int power = static_cast<int>(exponent() == 0 ? 1 : exponent()) - bias - type().fraction_bits;
    const std::uint64_t one = exponent() == 0 ? 0 : std::uint64_t{1} << type().fraction_bits;
    return sign * std::ldexp(static_cast<double>(fraction() + one), power);
  }
  /// How many steps from float to float lead from one to the other; 0 from -0 to +0.
  friend double ulps_between(const Float& a, const Float& b) {
    // As integers: of doubles, a step would be lost in a difference of doubles.
    const std::int64_t i = a.place(), j = b.place();
    return static_cast<double>(i < j ? static_cast<std::uint64_t>(j) - static_cast<std::uint64_t>(i)
                                     : static_cast<std::uint64_t>(i) - static_cast<std::uint64_t>(j));
  }

 private:
  [[nodiscard]] const ElementType& type() const { return type_of(element_); }
  [[nodiscard]] std::uint64_t sign_bit() const { return std::uint64_t{1} << (8 * type().bytes - 1); }
  [[nodiscard]] std::uint64_t most_exponent() const { return (std::uint64_t{1} << type().exponent_bits) - 1; }
  [[nodiscard]] std::uint64_t exponent() const { return (bits_ & (sign_bit() - 1)) >> type().fraction_bits; }
  [[nodiscard]] std::uint64_t fraction() const { return bits_ & ((std::uint64_t{1} << type().fraction_bits) - 1); }
  [[nodiscard]] std::int64_t place() const {
    const auto magnitude = static_cast<std::int64_t>(bits_ & (sign_bit() - 1));
    return (bits_ & sign_bit()) != 0 ? -magnitude : magnitude;
  }

  Element element_;
  std::uint64_t bits_ = 0;
};

}  // namespace ptx::harness
