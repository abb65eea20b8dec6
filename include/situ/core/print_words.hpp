// SPDX-License-Identifier: Apache-2.0
// The words of elements with a fraction: as many digits as tell them apart, all of one width. Functions are `cold`, and
// templates, as in print_format.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/print_options.hpp>

namespace situ::internal::print_format {

/// An element with a fraction: its value, which `double` holds for every element type, and the fewest digits that read
/// back as the same value of its own type.
struct Number {
  double value;
  std::string fixed;       // "0.1", "123", "-5"
  std::string scientific;  // "1e-01"
};

[[nodiscard, gnu::cold]] inline std::string with_format(double value, std::chars_format format, int precision) {
  std::array<char, 512> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
  return {buffer.data(), end};
}
template <class T>
[[nodiscard]] std::string shortest(T value, std::chars_format format) {
  std::array<char, 512> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  return {buffer.data(), end};
}

template <std::floating_point T>
[[nodiscard]] Number number(T value) {
  return {static_cast<double>(value), shortest(value, std::chars_format::fixed),
          shortest(value, std::chars_format::scientific)};
}
/// 16-bit and 8-bit floats: the smallest number of digits that reads back.
template <class T>
  requires OneOf<T, float16, bfloat16, float8_e4m3fn, float8_e5m2>
[[nodiscard]] Number number(T value) {
  const float wide = static_cast<float>(value);
  if (!std::isfinite(wide)) return number(wide);
  for (int digits = 0; digits < 5; ++digits) {
    const std::string text = with_format(static_cast<double>(wide), std::chars_format::scientific, digits);
    float back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (T(back).bits == value.bits || digits == 4) {
      double read = 0;
      std::from_chars(text.data(), text.data() + text.size(), read);
      Number result = number(read);  // the shortest double of those digits is those digits
      result.value = static_cast<double>(wide);
      // NumPy writes integers in full: 65504, although 6.55e4 would suffice
      if (result.fixed.find('.') == std::string::npos) result.fixed = number(result.value).fixed;
      return result;
    }
  }
  return number(wide);
}

/// Without trailing zeros after the point, and always with a point.
template <class Text>
[[nodiscard, gnu::cold]] Text trimmed(Text text) {
  if (text.find('.') == std::string::npos) return text + ".";
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

[[nodiscard]] inline int digits_after_point(std::string_view text) {
  const std::size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

template <class X>
[[nodiscard, gnu::cold]] std::string positional(const X& x, int precision) {
  if (digits_after_point(x.fixed) <= precision) return trimmed(x.fixed);
  return trimmed(with_format(x.value, std::chars_format::fixed, precision));
}

/// Mantissa with a point, and exponent with its sign: {"1.5", "+10"}.
struct Scientific {
  std::string mantissa;
  std::string exponent;
};
template <class Text>
[[nodiscard, gnu::cold]] Scientific split(const Text& text) {
  const std::size_t e = text.find('e');
  const Text mantissa = text.substr(0, e);
  return {mantissa.find('.') == std::string::npos ? mantissa + "." : mantissa, text.substr(e + 1)};
}
template <class X>
[[nodiscard, gnu::cold]] Scientific scientific(const X& x, int precision) {
  Scientific s = split(x.scientific);
  if (digits_after_point(s.mantissa) > precision) {
    s = split(with_format(x.value, std::chars_format::scientific, precision));
  }
  s.mantissa = trimmed(s.mantissa);
  return s;
}

template <class Text>
[[nodiscard, gnu::cold]] Text padded(const Text& text, std::size_t width) {
  return text.size() >= width ? text : Text(width - text.size(), ' ') + text;
}

/// The words of floating elements, all of one width.
template <class Numbers>
[[nodiscard, gnu::cold]] std::vector<std::string> floating_words(const Numbers& numbers, const PrintOptions& options) {
  double largest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  bool any_not_finite = false;
  bool negative_infinity = false;
  for (const auto& x : numbers) {
    if (!std::isfinite(x.value)) {
      any_not_finite = true;
      negative_infinity = negative_infinity || x.value < 0;
    } else if (x.value != 0) {
      largest = std::max(largest, std::abs(x.value));
      smallest = std::min(smallest, std::abs(x.value));
    }
  }
  const bool exponents =
      largest > 0 && (largest >= 1e8 || (!options.suppress_small && (smallest < 1e-4 || largest / smallest > 1000.0)));
  std::size_t before = 0;  // characters before the point
  std::size_t after = 0;   // and after it, an exponent included
  std::size_t mantissa_digits = 0;
  std::size_t exponent_size = 0;
  for (const auto& x : numbers) {
    if (!std::isfinite(x.value)) continue;
    if (exponents) {
      const Scientific s = scientific(x, options.precision);
      before = std::max(before, s.mantissa.find('.'));
      mantissa_digits = std::max(mantissa_digits, s.mantissa.size() - s.mantissa.find('.') - 1);
      exponent_size = std::max(exponent_size, s.exponent.size());
    } else {
      const std::string text = positional(x, options.precision);
      before = std::max(before, text.find('.'));
      after = std::max(after, text.size() - text.find('.') - 1);
    }
  }
  if (exponents) after = mantissa_digits + 1 + exponent_size;
  if (any_not_finite) {
    const std::size_t widest = negative_infinity ? 4 : 3;
    if (before + after + 1 < widest) before = widest - after - 1;
  }
  std::vector<std::string> words;
  words.reserve(numbers.size());
  for (const auto& x : numbers) {
    std::string word;
    if (std::isnan(x.value)) {
      word = "nan";
    } else if (std::isinf(x.value)) {
      word = x.value < 0 ? "-inf" : "inf";
    } else if (exponents) {
      // All get as many digits of the value as the longest needs: NumPy does not pad with zeros.
      Scientific s = split(with_format(x.value, std::chars_format::scientific, static_cast<int>(mantissa_digits)));
      std::string digits = s.exponent.substr(1);
      digits.insert(0, exponent_size - 1 - digits.size(), '0');
      word = s.mantissa + "e" + s.exponent.substr(0, 1) + digits;
    } else {
      word = positional(x, options.precision);
      word.append(after - (word.size() - word.find('.') - 1), ' ');
    }
    words.push_back(padded(word, before + after + 1));
  }
  return words;
}

}  // namespace situ::internal::print_format
