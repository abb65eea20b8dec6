// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "text.hpp"

namespace ptx {
namespace {

/// The product of what stands after a directive: ".maxntid 16, 16, 1".
int product_after(std::string_view directives, std::string_view directive) {
  const std::size_t at = directives.find(directive);
  if (at == std::string_view::npos) return 0;
  std::string_view numbers = directives.substr(at + directive.size());
  numbers = numbers.substr(0, numbers.find('.'));
  int product = 1;
  for (const std::string& number : split(numbers, ',')) product *= std::atoi(number.c_str());
  return product;
}

/// Reads a module from its start to its end.
class Scanner {
 public:
  explicit Scanner(Module& module) : module_(module), text_(module.text) {}

  void scan() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (is_line_directive()) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (starts(".section")) {
        at_ = closing(text_, text_.find('{', at_)) + 1;
      } else {
        definition();
      }
    }
  }

 private:
  [[nodiscard]] bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  [[nodiscard]] bool is_line_directive() const {
    return starts(".version") || starts(".target") || starts(".address_size") || starts(".file") || starts(".loc ") ||
           starts(".loc\t");
  }
  [[nodiscard]] int line_of(std::size_t place) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    counted_ = place;
    return line_;
  }

  void definition() {
    const std::size_t stop = text_.find_first_of(";({=", at_);
    if (stop == std::string_view::npos) throw std::runtime_error("ends amid a definition");
    const std::string_view head = text_.substr(at_, stop - at_);
    const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
    if (has(".entry") || has(".func")) {
      function(head, stop);
    } else if (has(".global") || has(".const") || has(".shared")) {
      variable();
    } else if (has(".pragma")) {
      at_ = text_.find(';', at_) + 1;
    } else {
      throw std::runtime_error("line " + std::to_string(line_of(at_)) + ": not understood: " + std::string(head));
    }
  }

  void function(std::string_view head, std::size_t stop) {
    Function made;
    made.is_entry = head.find(".entry") != std::string_view::npos;
    const std::string_view directive = made.is_entry ? ".entry" : ".func";
    std::string_view name = trimmed(head.substr(head.find(directive) + directive.size()));
    std::size_t at = stop;
    if (name.empty()) {  // (result) name
      const std::size_t end = closing(text_, at);
      made.results = text_.substr(at + 1, end - at - 1);
      at = text_.find_first_of("(;{", end + 1);
      name = trimmed(text_.substr(end + 1, at - end - 1));
    }
    made.name = name.substr(0, name.find_first_of(" \t\n"));
    if (text_.at(at) == '(') {
      const std::size_t end = closing(text_, at);
      made.parameters = text_.substr(at + 1, end - at - 1);
      at = end + 1;
    }
    const std::size_t open = text_.find_first_of("{;", at);
    if (open == std::string_view::npos) throw std::runtime_error("no body of " + made.name);
    if (text_[open] == ';') {  // a declaration
      at_ = open + 1;
      return;
    }
    const std::string_view directives = text_.substr(at, open - at);
    made.threads_most = std::max(product_after(directives, ".maxntid"), product_after(directives, ".reqntid"));
    const std::size_t end = closing(text_, open);
    made.body = text_.substr(open + 1, end - open - 1);
    made.line = line_of(open + 1);
    module_.functions.emplace(made.name, made);
    at_ = end + 1;
  }

  void variable() {
    const std::size_t end = std::min(text_.find(';', at_), text_.size());
    const std::string_view declaration = text_.substr(at_, end - at_);
    Variable made = parse_variable(declaration);
    auto& where = made.space == ".shared" ? module_.shared : module_.globals;
    where.emplace(made.name, std::move(made));
    at_ = end + 1;
  }

  Module& module_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;  // lines are, up to here
  int line_ = 1;
};

/// The value of an element of an initializer: a literal, or the address of a variable.
bool initial_value(const Module& module, std::string_view element, Word& value) {
  if (is_literal(element)) {
    value = literal(element);
    return true;
  }
  std::string text(element);  // generic(name)+4
  for (const std::string_view part : {"generic(", ")"}) {
    if (const std::size_t at = text.find(part); at != std::string::npos) text.erase(at, part.size());
  }
  const auto plus = split(text, '+');
  const auto found = module.globals.find(plus[0]);
  if (found == module.globals.end() || plus.size() > 2) return false;
  value = reinterpret_cast<std::uintptr_t>(found->second.memory) + (plus.size() == 2 ? literal(plus[1]) : 0);
  return true;
}

void initialize(const Module& module, Variable& variable) {
  std::string values = variable.initializer;
  std::replace(values.begin(), values.end(), '{', ' ');
  std::replace(values.begin(), values.end(), '}', ' ');
  const auto size = static_cast<std::size_t>(bytes_of(variable.type));
  std::size_t at = 0;
  for (const std::string& element : split(values, ',')) {
    Word value = 0;
    if (!initial_value(module, element, value) || at + size > variable.bytes) {
      variable.problem = "initializer " + element;
      return;
    }
    std::memcpy(variable.memory + at, &value, size);
    at += size;
  }
}

void place_globals(Module& module) {
  constexpr std::size_t boundary = 256;  // as a driver has it
  for (auto& [name, variable] : module.globals) {
    auto& memory = module.memory.emplace_back(std::make_unique<char[]>(variable.bytes + 2 * boundary));
    const std::size_t over = reinterpret_cast<std::uintptr_t>(memory.get()) % boundary;
    variable.memory = memory.get() + (boundary - over) % boundary;
  }
  for (auto& [name, variable] : module.globals) {
    if (!variable.initializer.empty()) initialize(module, variable);
  }
}

}  // namespace

Variable parse_variable(std::string_view declaration) {
  Variable made;
  if (const std::size_t equals = declaration.find('='); equals != std::string_view::npos) {
    made.initializer = trimmed(declaration.substr(equals + 1));
    declaration = declaration.substr(0, equals);
  }
  std::size_t count = 1;
  const std::size_t bracket = declaration.find('[');
  if (bracket != std::string_view::npos) {
    for (std::string_view rest = declaration.substr(bracket); !rest.empty() && rest[0] == '[';) {
      const std::size_t end = closing(rest, 0);
      const std::string_view extent = trimmed(rest.substr(1, end - 1));
      made.external = made.external || extent.empty();
      count = extent.empty() ? 0 : count * literal(extent);
      rest = trimmed(rest.substr(end + 1));
    }
  }
  std::istringstream words{std::string(declaration.substr(0, bracket))};
  std::size_t aligned = 0;
  for (std::string word; words >> word;) {
    if (word == ".align") {
      words >> aligned;
    } else if (word[0] != '.') {
      made.name = word;
    } else if (const Type type = type_named(std::string_view(word).substr(1)); type != Type::none) {
      made.type = type;
    } else if (word == ".shared" || word == ".const" || word == ".global") {
      made.space = word;
    }
    // `.ptr .global .align 16 name`: what a parameter points to.
    if (word == ".ptr") {
      while (words >> word && word[0] == '.') {
        if (word == ".align") words >> word;
      }
      made.name = word;
    }
  }
  const auto size = static_cast<std::size_t>(std::max(1, bytes_of(made.type)));
  made.alignment = aligned != 0 ? aligned : size;
  made.bytes = count * size;
  return made;
}

std::unique_ptr<Module> scan_module(std::string name, std::string text) {
  auto module = std::make_unique<Module>();
  module->name = std::move(name);
  module->text = without_comments(std::move(text));
  for (const std::string_view directive : {".version", ".target", ".address_size"}) {
    if (module->text.find(directive) == std::string::npos) {
      throw std::runtime_error(module->name + " is no PTX: it has no " + std::string(directive));
    }
  }
  try {
    Scanner(*module).scan();
  } catch (const std::exception& error) {
    throw std::runtime_error(module->name + ": " + error.what());
  }
  place_globals(*module);
  return module;
}

}  // namespace ptx
