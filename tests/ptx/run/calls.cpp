// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>
#include <stdexcept>

#include "text.hpp"

namespace ptx {

void Calls::begin_function(const Callee* callee) {
  function_ = callee != nullptr ? callee->function->name : std::string();
  if (callee == nullptr) return;
  for (const auto& [name, part] : callee->names) names_.name_frame_part(name, part);
}

Callee& Calls::callee(const std::string& name) {
  if (const auto found = callees_.find(name); found != callees_.end()) return found->second;
  const auto function = module_.functions.find(name);
  if (function == module_.functions.end()) throw std::runtime_error("a call of " + name + ", which is not here");
  Callee& made = callees_[name];
  made.function = &function->second;
  const auto place = [&](std::string_view list, std::vector<FramePart>& parts) {
    for (const std::string& declaration : list_elements(list)) {
      const Variable variable = parse_variable(declaration);
      parts.push_back(names_.place_frame_part(variable.bytes));
      made.names.emplace_back(variable.name, parts.back());
    }
  };
  place(made.function->parameters, made.parameters);
  place(made.function->results, made.results);
  queue_.push_back(name);
  return made;
}

void Calls::build(Builder& b) {
  const std::vector<std::string>& operands = b.statement.operands;
  std::size_t at = 0;
  const auto list = [&]() -> std::vector<std::string> {
    if (at >= operands.size() || operands[at][0] != '(') return {};
    return list_elements(inside(operands[at++], '('));
  };
  const std::vector<std::string> results = list();
  const std::string& name = b.statement.operand(at++);
  const std::vector<std::string> arguments = list();
  if (at != operands.size()) throw std::runtime_error("a call by a register");
  const Callee& to = callee(name);
  if (arguments.size() != to.parameters.size() || results.size() != to.results.size()) {
    throw std::runtime_error("another number of arguments or results");
  }
  const auto part_of = [&](const std::string& argument, const FramePart& formal) {
    const std::optional<FramePart> found = names_.find_frame_part(argument);
    if (!found || found->bytes != formal.bytes) throw std::runtime_error("argument " + argument);
    return *found;
  };
  CallCopies& copies = b.code.copies.emplace_back();
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const FramePart from = part_of(arguments[k], to.parameters[k]);
    copies.arguments.push_back({from.offset, to.parameters[k].offset, from.bytes});
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const FramePart into = part_of(results[k], to.results[k]);
    copies.results.push_back({to.results[k].offset, into.offset, into.bytes});
  }
  b.made.control = Control::call;
  b.made.table = static_cast<int>(b.code.copies.size()) - 1;
  calls_.emplace_back(b.number(), name);
  called_by_[function_].push_back(name);
}

Callee* Calls::next() { return decoded_ < queue_.size() ? &callees_.at(queue_[decoded_++]) : nullptr; }

void Calls::connect(Code& code) {
  for (const auto& [from, name] : calls_) code.instructions[from].target = callees_.at(name).start;
  code.call_depth = depth({}, 0);
}

int Calls::depth(const std::string& name, int above) const {
  if (above > static_cast<int>(callees_.size())) throw std::runtime_error("functions that call themselves");
  const auto found = called_by_.find(name);
  if (found == called_by_.end()) return above;
  int most = above;
  for (const std::string& called : found->second) most = std::max(most, depth(called, above + 1));
  return most;
}

}  // namespace ptx
