// SPDX-License-Identifier: Apache-2.0
// Numbers from text: correctly rounded, whatever the locale.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <situ/core/dtype.hpp>

namespace situ {

/// The element types of CSV files: `float`, `double`, integers and `bool`.
template <class T>
concept CsvElement = Element<T> && std::is_arithmetic_v<T>;

/// "a csv file has numbers of float, double, integers and bool: fix: load float, and cast", `load_csv<float16>(path)`.
struct a_csv_file_has_float_double_integers_and_bool {
  struct fix_load_float_or_double_and_cast {
    template <class Path>
    fix_load_float_or_double_and_cast(const Path&) = delete;
  };
  struct fix_cast_to_float_or_double {
    template <class Path>
    fix_cast_to_float_or_double(const Path&) = delete;
  };
};

}  // namespace situ

namespace situ::internal::io::csv {

/// How many bytes behind a number must be readable.
inline constexpr std::size_t padding = 8;

/// Digits from `p` on, as an integer modulo 2^64, and the position behind them.
struct Digits {
  const char* next;
  std::uint64_t value;
};
[[nodiscard]] inline Digits digits_at(const char* p, std::uint64_t value = 0) noexcept {
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p)
    value = value * 10 + digit;
  return {p, value};
}

/// The same for many digits: eight at once, as the bytes of an integer.
[[nodiscard]] inline Digits many_digits_at(const char* p, std::uint64_t value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    for (;; p += 8) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, p, sizeof bytes);
      constexpr std::uint64_t high = 0xf0f0f0f0f0f0f0f0u;  // 0x30 to 0x39 are digits
      const std::uint64_t other = (bytes & high) | (((bytes + 0x0606060606060606u) & high) >> 4);
      if (other != 0x3333333333333333u) break;
      bytes -= 0x3030303030303030u;
      bytes = bytes * 10 + (bytes >> 8);  // pairs
      constexpr std::uint64_t pairs = 0x000000ff000000ffu;
      bytes = ((bytes & pairs) * 0x000f424000000064u + ((bytes >> 16) & pairs) * 0x0000271000000001u) >> 32;
      value = value * 100'000'000 + bytes;
    }
  }
  return digits_at(p, value);
}

/// Powers of ten that a double represents exactly.
inline constexpr std::array powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// digits / power, rounded once, or NaN where that is not certain: the quotient of doubles and a correction, which is
/// too small for its own error to matter, except close to the middle between two doubles.
[[nodiscard]] inline double quotient(std::uint64_t digits, double power) noexcept {
  const auto high = static_cast<double>(digits);  // below 2^64, for 19 digits
  const auto low = static_cast<double>(static_cast<std::int64_t>(digits - static_cast<std::uint64_t>(high)));
  const double first = high / power;
  const double correction = (std::fma(-first, power, high) + low) / power;  // the remainder is exact
  const double error = std::abs(correction) * 0x1p-50;
  const double lower = first + (correction - error), upper = first + (correction + error);
  return lower == upper ? lower : std::numeric_limits<double>::quiet_NaN();
}

/// The simple numbers, which are most: the position behind the number at `p`, or null if another function must read it.
/// The text must end with `padding` bytes that are not digits.
template <std::floating_point T>
[[nodiscard]] const char* simple_number(const char* p, char decimal, T& value) noexcept {
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  Digits digits = digits_at(p);
  std::ptrdiff_t count = digits.next - p, exponent = 0;
  p = digits.next;
  if (*p == decimal) {
    ++p;
    digits = many_digits_at(p, digits.value);
    exponent = p - digits.next;
    count -= exponent;
    p = digits.next;
  }
  if (count == 0 || count > 19) return nullptr;  // 20 digits may overflow
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    const Digits power = digits_at(p);
    if (power.next == p || power.next - p > 3) return nullptr;
    exponent += down ? -static_cast<std::ptrdiff_t>(power.value) : static_cast<std::ptrdiff_t>(power.value);
    p = power.next;
  }
  if (exponent < -22 || exponent > 22) return nullptr;
  const auto whole = static_cast<double>(digits.value);
  const double power = powers_of_ten[static_cast<std::size_t>(exponent < 0 ? -exponent : exponent)];
  double rounded = 0;
  // Both numbers are exact, so that their product or quotient is rounded once (Clinger, "How to read floating point
  // numbers accurately", 1990).
  if (digits.value <= std::uint64_t{1} << 53) rounded = exponent < 0 ? whole / power : whole * power;
  else if (exponent < 0) rounded = quotient(digits.value, power);
  else if (exponent == 0) rounded = whole;
  else return nullptr;
  if (std::isnan(rounded)) return nullptr;
  if constexpr (std::same_as<T, float>) {
    // Rounding again is exact unless the double is halfway between two floats: the number may be on either side of it.
    constexpr std::uint64_t below_float = (std::uint64_t{1} << 29) - 1;
    if ((std::bit_cast<std::uint64_t>(rounded) & below_float) == std::uint64_t{1} << 28) return nullptr;
    if (rounded > double{std::numeric_limits<float>::max()}) return nullptr;
  }
  value = static_cast<T>(negative ? -rounded : rounded);
  return p;
}
template <std::integral T>
[[nodiscard]] const char* simple_number(const char* p, char, T& value) noexcept {
  const bool negative = std::is_signed_v<T> && *p == '-';
  p += negative ? 1 : 0;
  const Digits digits = digits_at(p);
  constexpr int most_digits = std::same_as<T, bool> ? 1 : 18;  // 19 may overflow
  if (digits.next == p || digits.next - p > most_digits) return nullptr;
  if (digits.value > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return nullptr;
  const auto size = static_cast<std::int64_t>(digits.value);
  value = static_cast<T>(negative ? -size : size);
  return digits.next;
}

/// The numbers of many digits as well, but no others; as `simple_number`.
template <CsvElement T>
[[nodiscard]] const char* quick_number(const char* p, const char* end, char decimal, T& value) noexcept {
  if (const char* const next = simple_number(p, decimal, value)) return next;
  if constexpr (std::floating_point<T>) {
    if (decimal != '.') return nullptr;
    const auto [next, error] = std::from_chars(p, end, value);
    if (error == std::errc() && std::isfinite(value)) return next;
  }
  return nullptr;
}

enum class Reading { number, no_number, out_of_range };

[[nodiscard]] constexpr std::string_view without_blanks(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether a number that no float represents is too large: the other ones are near 0. `text` is such a number.
[[nodiscard]] inline bool is_large(std::string_view text) noexcept {
  std::int64_t point = 0, power = 0;  // the first digit that is not 0 has the weight 10^point
  bool begun = false, behind = false;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const char c = text[i];
    if (c == '.') behind = true;
    if (c == 'e' || c == 'E') {
      const bool plus = i + 1 != text.size() && text[i + 1] == '+';
      const std::string_view rest = text.substr(i + (plus ? 2 : 1));
      const auto [next, error] = std::from_chars(rest.data(), rest.data() + rest.size(), power);
      if (error == std::errc::result_out_of_range) return rest[0] != '-';
      break;
    }
    if (c < '0' || c > '9') continue;
    begun = begun || c != '0';
    if (begun && !behind) ++point;
    if (!begun && behind) --point;
  }
  return point + power > 0;
}

/// Any number, whose text ends where the number does.
template <CsvElement T>
[[nodiscard]] Reading number_of(std::string_view text, char decimal, T& value) {
  text = without_blanks(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  if constexpr (std::same_as<T, bool>) {
    value = text == "1" || text == "true" || text == "True" || text == "TRUE";
    const bool is = value || text == "0" || text == "false" || text == "False" || text == "FALSE";
    return is ? Reading::number : Reading::no_number;
  } else {
    std::string copy;
    if (std::floating_point<T> && decimal != '.') {
      if (text.find('.') != text.npos) return Reading::no_number;
      copy = text;
      for (char& c : copy) c = c == decimal ? '.' : c;
      text = copy;
    }
    const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || next != text.data() + text.size()) return Reading::no_number;
    if constexpr (std::floating_point<T>) {
      if (error == std::errc::result_out_of_range) {
        if (is_large(text)) return Reading::out_of_range;
        value = text[0] == '-' ? -T{0} : T{0};
        return Reading::number;
      }
      const bool infinite = std::isinf(value) && text.find_first_of("0123456789") != text.npos;
      return infinite ? Reading::out_of_range : Reading::number;
    } else {
      return error == std::errc() ? Reading::number : Reading::out_of_range;
    }
  }
}

}  // namespace situ::internal::io::csv
