// SPDX-License-Identifier: Apache-2.0
#include "builder.hpp"

#include <cfenv>
#include <stdexcept>
#include <unordered_map>

#include "text.hpp"

namespace ptx {

Builder::Builder(const Statement& of, Names& scope, Code& to, References& open, int line)
    : statement(of), names(scope), code(to), references(open) {
  made.line = line;
  made.type = statement.type();
  made.flushes = statement.has("ftz");
  made.saturates = statement.has("sat");
  made.relu = statement.has("relu");
  if (!statement.guard.empty()) made.guard = predicate(statement.guard);
}

void Builder::destination(std::string_view text) {
  const std::size_t k = made.destinations++;
  if (text == "_") return;
  const Register found = names.register_named(text);
  if (found.predicate) throw std::runtime_error("a predicate in place of a register: " + std::string(text));
  made.destination.at(k) = found.number;
}

void Builder::destination_and_sources(int sources) {
  if (statement.operands.size() != static_cast<std::size_t>(sources) + 1)
    throw std::runtime_error("number of operands");
  destination(statement.operand(0));
  for (int k = 1; k <= sources; ++k) source(statement.operand(static_cast<std::size_t>(k)));
}

PredicateOperand Builder::predicate(std::string_view text) const {
  PredicateOperand operand;
  if (is_literal(text)) {
    operand.constant = literal(text) != 0;
    return operand;
  }
  operand.negated = text.starts_with('!');
  operand.number = predicate_destination(operand.negated ? text.substr(1) : text);
  return operand;
}
int Builder::predicate_destination(std::string_view text) const {
  if (text == "_") return nothing;
  const Register found = names.register_named(text);
  if (!found.predicate) throw std::runtime_error("no predicate: " + std::string(text));
  return found.number;
}
std::string_view Builder::split_destination(std::string_view text, int& second) const {
  const std::size_t bar = text.find('|');
  if (bar == std::string_view::npos) return text;
  second = predicate_destination(trimmed(text.substr(bar + 1)));
  return trimmed(text.substr(0, bar));
}

void Builder::address(std::string_view text) {
  std::string_view base = inside(text, '[');
  if (base.size() == trimmed(text).size()) throw std::runtime_error("no address: " + std::string(text));
  if (const std::size_t plus = base.find('+'); plus != std::string_view::npos) {
    made.offset = static_cast<std::int64_t>(literal(trimmed(base.substr(plus + 1))));
    base = trimmed(base.substr(0, plus));
  }
  if (const std::optional<FramePart> part = names.find_frame_part(base)) {
    if (made.space != Space::parameter) throw std::runtime_error("a parameter in another space");
    made.space = Space::frame;
    made.offset += static_cast<std::int64_t>(part->offset);
    made.base = names.operand("0");
    return;
  }
  made.base = names.operand(base);
  const std::optional<Register> found = names.find_register(base);
  made.base_is_32_bits = found && found->bits == 32;
}

Space Builder::space() const {
  for (const std::string& modifier : statement.modifiers) {
    if (modifier == "global") return Space::global;
    if (modifier.starts_with("shared")) return Space::shared;
    if (modifier == "local") return Space::local;
    if (modifier.starts_with("param")) return Space::parameter;
    if (modifier == "const") return Space::constant;
  }
  return Space::generic;
}

void Builder::take_rounding() {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int found = statement.one_of({"rn", "rz", "rm", "rp"});
  made.rounding = found < 0 ? FE_TONEAREST : modes[found];
}

void build_arithmetic(Builder& b) {
  switch (b.statement.type()) {
    case Type::f32:
    case Type::f64:
      return build_floats(b);
    case Type::f16:
    case Type::bf16:
    case Type::f16x2:
    case Type::bf16x2:
      return build_small_floats(b);
    default:
      break;
  }
  const std::string& name = b.statement.name;
  if (b.statement.has("cc") || name == "addc" || name == "subc") return build_carries(b);
  build_integers(b);
}

Family family_of(const std::string& name) {
  static const std::unordered_map<std::string, Family> all = [] {
    std::unordered_map<std::string, Family> families;
    const auto add = [&](Family family, std::string_view names) {
      for (const std::string& each : split(names, ' ')) families[each] = family;
    };
    add(build_arithmetic, "add sub mul mad fma div rem min max neg abs addc subc ex2 tanh");
    add(build_floats, "sqrt rcp rsqrt sin cos lg2 copysign");
    add(build_logic, "and or xor not cnot");
    add(build_shifts, "shl shr shf");
    add(build_bits, "lop3 prmt bfe bfi popc clz brev bfind dp4a");
    add(build_comparisons, "setp set testp");
    add(build_moves, "mov selp cvta isspacep");
    add(build_conversions, "cvt");
    add(build_loads, "ld");
    add(build_stores, "st");
    add(build_atomics, "atom red");
    add(build_together, "shfl vote match redux activemask");
    add(build_control, "bra brx call ret exit trap");
    add(build_barriers, "bar barrier membar fence");
    return families;
  }();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace ptx
