// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace ptx {

std::string without_comments(std::string text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == '"') {
      at = text.find('"', at + 1);
      if (at == std::string::npos) break;
    } else if (text.compare(at, 2, "//") == 0) {
      while (at < text.size() && text[at] != '\n') text[at++] = ' ';
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
      for (; at < end; ++at) {
        if (text[at] != '\n') text[at] = ' ';
      }
    }
  }
  return text;
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(by);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> list_elements(std::string_view text) {
  std::vector<std::string> elements;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      elements.emplace_back(trimmed(text.substr(start, at - start)));
      start = at + 1;
    }
  }
  if (const std::string_view last = trimmed(text.substr(start)); !last.empty()) elements.emplace_back(last);
  return elements;
}

std::string_view inside(std::string_view text, char open) {
  text = trimmed(text);
  return text.size() >= 2 && text.front() == open ? trimmed(text.substr(1, text.size() - 2)) : text;
}

std::size_t closing(std::string_view text, std::size_t at) {
  const char open = text.at(at);
  const char close = open == '{' ? '}' : open == '(' ? ')' : ']';
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at;
  }
  throw std::runtime_error(std::string("no ") + close + " closes " + open);
}

bool is_literal(std::string_view text) {
  return !text.empty() && (is_digit(text[0]) || (text[0] == '-' && text.size() > 1));
}

Word literal(std::string_view text) {
  const std::string digits(text);
  const char* const start = digits.c_str();
  if (digits.size() > 2 && digits[0] == '0' && std::string_view("fFdD").find(digits[1]) != std::string_view::npos) {
    return std::strtoull(start + 2, nullptr, 16);
  }
  if (digits[0] == '-') return Word{0} - std::strtoull(start + 1, nullptr, 0);
  return std::strtoull(start, nullptr, 0);
}

}  // namespace ptx
