// SPDX-License-Identifier: Apache-2.0
#include "statement.hpp"

#include <algorithm>
#include <stdexcept>

#include "text.hpp"

namespace ptx {

bool Statement::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}
int Statement::one_of(std::initializer_list<std::string_view> choices) const {
  int number = 0;
  for (const std::string_view choice : choices) {
    if (has(choice)) return number;
    ++number;
  }
  return -1;
}
const std::string& Statement::operand(std::size_t number) const {
  if (number >= operands.size()) throw std::runtime_error("too few operands");
  return operands[number];
}

Statement parse_statement(std::string text) {
  Statement made;
  std::replace_if(text.begin(), text.end(), is_space, ' ');
  made.text = trimmed(text);
  std::string_view rest = made.text;
  if (rest.starts_with('@')) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    made.guard = rest.substr(1, end - 1);
    rest = trimmed(rest.substr(end));
  }
  const std::size_t end = std::min(rest.find(' '), rest.size());
  made.opcode = rest.substr(0, end);
  made.operands = list_elements(rest.substr(end));
  const std::vector<std::string> parts = split(made.opcode, '.');
  made.name = parts.front();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (const Type type = type_named(parts[k]); type != Type::none) {
      made.types.push_back(type);
    } else {
      made.modifiers.push_back(parts[k]);
    }
  }
  return made;
}

}  // namespace ptx
