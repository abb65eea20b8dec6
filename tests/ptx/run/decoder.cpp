// SPDX-License-Identifier: Apache-2.0
// From the text of an entry, and of what it calls, to instructions.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "builder.hpp"
#include "calls.hpp"
#include "code.hpp"
#include "names.hpp"
#include "text.hpp"

namespace ptx {
namespace {

/// Decodes one function after the other.
class Decoder {
 public:
  Decoder(Code& code, Module& module) : code_(code), names_(code, module), calls_(module, names_) {}

  void decode(const Function& entry) {
    names_.declare_kernel_parameters(entry.parameters);
    body(entry, nullptr);
    while (Callee* const callee = calls_.next()) {
      callee->start = static_cast<int>(code_.instructions.size());
      body(*callee->function, callee);
    }
    calls_.connect(code_);
    names_.settle_dynamic_shared();
    code_.parameter_constants.assign(names_.parameter_constants().begin(), names_.parameter_constants().end());
    code_.runs.assign(code_.instructions.size(), 0);
  }

 private:
  void body(const Function& function, const Callee* callee) {
    labels_.clear();
    lists_.clear();
    references_ = {};
    names_.begin_function();
    calls_.begin_function(callee);
    std::string_view text = function.body;
    int line = function.line;
    const auto skip = [&](std::size_t length) {
      line += static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
      text.remove_prefix(length);
    };
    while (!text.empty()) {
      if (is_space(text[0]) || text[0] == ';') {
        skip(1);
      } else if (text.starts_with(".loc ") || text.starts_with(".loc\t")) {
        skip(std::min(text.find('\n'), text.size()));
      } else if (const std::size_t length = label(text); length != 0) {
        skip(length);
      } else {
        const bool brace = text[0] == '{' || text[0] == '}';
        const std::size_t end = brace ? 1 : std::min(text.find(';'), text.size());
        const std::string statement(text.substr(0, end));
        guarded(statement, line, [&] { brace ? scope(text[0]) : this->statement(statement, line); });
        skip(end);
      }
    }
    Instruction last;
    last.control = Control::ret;
    last.form = form_number("ret");
    append(last, "(the end of the function)");
    guarded("labels", line, [&] { connect_labels(); });
  }

  /// What cannot be decoded is a problem, and a place where a run would stop.
  template <class F>
  void guarded(const std::string& text, int line, F f) {
    try {
      f();
    } catch (const std::exception& error) {
      code_.problems.push_back(formatted("line %d: ", line) + std::string(trimmed(text)) + ": " + error.what());
      Instruction stop;
      stop.control = Control::stop;
      stop.line = line;
      stop.form = form_number("trap");
      append(stop, text);
    }
  }

  void scope(char brace) {
    if (brace == '{') {
      names_.open_scope();
    } else {
      names_.close_scope();
    }
  }

  /// The length of a label and its colon, or 0.
  std::size_t label(std::string_view text) {
    if (text[0] == '.' || !is_name(text[0])) return 0;
    std::size_t end = 0;
    while (end < text.size() && is_name(text[end])) ++end;
    std::size_t colon = end;
    while (colon < text.size() && (text[colon] == ' ' || text[colon] == '\t')) ++colon;
    if (colon == text.size() || text[colon] != ':') return 0;
    last_label_ = text.substr(0, end);
    labels_[last_label_] = static_cast<int>(code_.instructions.size());
    return colon + 1;
  }

  void statement(const std::string& text, int line) {
    constexpr std::string_view targets = ".branchtargets";
    if (text.starts_with(targets)) {
      lists_[last_label_] = split(text.substr(targets.size()), ',');
    } else if (text[0] == '.') {
      names_.declare(text);
    } else {
      instruction(parse_statement(text), line);
    }
  }

  void instruction(const Statement& statement, int line) {
    if (!is_known_form(statement.opcode)) throw std::runtime_error("unknown form " + statement.opcode);
    const Family family = family_of(statement.name);
    if (family == nullptr) throw std::runtime_error("unknown opcode " + statement.name);
    Builder builder(statement, names_, code_, references_, line);
    builder.made.form = form_number(statement.opcode);
    if (statement.name == "call") {
      calls_.build(builder);
    } else {
      family(builder);
    }
    if (builder.made.control == Control::next && builder.made.operation == nullptr) {
      throw std::runtime_error("nothing does this form");
    }
    append(builder.made, statement.text);
  }

  void append(const Instruction& instruction, std::string text) {
    code_.instructions.push_back(instruction);
    code_.texts.push_back(std::move(text));
  }

  [[nodiscard]] int label_named(const std::string& name) const {
    const auto found = labels_.find(name);
    if (found == labels_.end()) throw std::runtime_error("no label " + name);
    return found->second;
  }
  void connect_labels() {
    for (const auto& [from, name] : references_.branches) code_.instructions[from].target = label_named(name);
    for (const auto& [from, name] : references_.tables) {
      code_.instructions[from].table = static_cast<int>(code_.targets.size());
      std::vector<int>& targets = code_.targets.emplace_back();
      const auto found = lists_.find(name);
      if (found == lists_.end()) throw std::runtime_error("no .branchtargets " + name);
      for (const std::string& target : found->second) targets.push_back(label_named(target));
    }
  }

  Code& code_;
  Names names_;
  Calls calls_;
  References references_;
  std::map<std::string, int> labels_;
  std::map<std::string, std::vector<std::string>> lists_;  // of targets
  std::string last_label_;
};

}  // namespace

std::unique_ptr<Code> decode(Module& module, const std::string& entry) {
  auto code = std::make_unique<Code>();
  code->module = &module;
  code->name = entry;
  const Function& function = module.functions.at(entry);
  code->threads_most = function.threads_most;
  try {
    Decoder(*code, module).decode(function);
  } catch (const std::exception& error) {
    code->problems.push_back(error.what());
  }
  find_meanings(*code);
  return code;
}

}  // namespace ptx
