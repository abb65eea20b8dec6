// SPDX-License-Identifier: Apache-2.0
// The text of one instruction, in parts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "types.hpp"

namespace ptx {

struct Statement {
  std::string text;
  std::string guard;                   // "%p1", "!%p1"
  std::string opcode;                  // "ld.global.v2.f32"
  std::string name;                    // "ld"
  std::vector<std::string> modifiers;  // "global", "v2"
  std::vector<Type> types;             // f32
  std::vector<std::string> operands;

  [[nodiscard]] bool has(std::string_view modifier) const;
  /// Which of these it has; -1: none.
  [[nodiscard]] int one_of(std::initializer_list<std::string_view> choices) const;
  [[nodiscard]] const std::string& operand(std::size_t number) const;
  [[nodiscard]] Type type() const { return types.empty() ? Type::none : types.front(); }
};

[[nodiscard]] Statement parse_statement(std::string text);

}  // namespace ptx
