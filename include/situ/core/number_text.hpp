// SPDX-License-Identifier: Apache-2.0
// Text of numbers in error messages.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <type_traits>

namespace situ::internal {

/// The shortest text that reads back as the same number: `1e+300`, where `std::to_string` writes 300 digits, or `0.1`.
/// A character is written as its code.
template <class Number>
  requires std::is_arithmetic_v<Number>
[[nodiscard]] std::string number_text(Number value) {
  if constexpr (std::floating_point<Number>) {
    std::array<char, 64> buffer;
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
  } else {
    return std::to_string(+value);
  }
}

}  // namespace situ::internal
