// SPDX-License-Identifier: Apache-2.0
// Pieces of PTX's text.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "types.hpp"

namespace ptx {

/// Text by printf's format.
template <class... A>
[[nodiscard]] std::string formatted(const char* format, A... arguments) {
  char text[1024];
  const int length = std::snprintf(text, sizeof text, format, arguments...);
  return length < 0 ? std::string() : std::string(text);
}

/// Without comments, whose places are spaces, so that lines stay where they are.
[[nodiscard]] std::string without_comments(std::string text);
[[nodiscard]] bool is_space(char c);
[[nodiscard]] bool is_digit(char c);
[[nodiscard]] bool is_name(char c);  // may stand in a name
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The parts between `by`, trimmed.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char by);
/// The parts between commas that stand in no bracket, trimmed.
[[nodiscard]] std::vector<std::string> list_elements(std::string_view text);
/// What is in one pair of brackets of any kind, or the text itself.
[[nodiscard]] std::string_view inside(std::string_view text, char open);
/// Where the bracket that is open at `at` is closed. Throws where it is not.
[[nodiscard]] std::size_t closing(std::string_view text, std::size_t at);

/// 12, -3, 0x1f, 0f3F800000, 0d3FF0000000000000: the bits.
[[nodiscard]] bool is_literal(std::string_view text);
[[nodiscard]] Word literal(std::string_view text);

}  // namespace ptx
