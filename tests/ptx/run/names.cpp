// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "text.hpp"

namespace ptx {
namespace {

constexpr std::size_t gap = 64;  // between variables: what reaches beyond one meets nothing
constexpr std::size_t frame_boundary = 16;

[[nodiscard]] std::size_t rounded_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

const std::map<std::string_view, Special>& specials() {
  static const std::map<std::string_view, Special> all = {{"%tid.x", tid_x},
                                                          {"%tid.y", always_zero},
                                                          {"%tid.z", always_zero},
                                                          {"%ntid.x", ntid_x},
                                                          {"%ntid.y", always_one},
                                                          {"%ntid.z", always_one},
                                                          {"%ctaid.x", ctaid_x},
                                                          {"%ctaid.y", ctaid_y},
                                                          {"%ctaid.z", always_zero},
                                                          {"%nctaid.x", nctaid_x},
                                                          {"%nctaid.y", nctaid_y},
                                                          {"%nctaid.z", always_one},
                                                          {"%laneid", lane_id},
                                                          {"%warpid", warp_id},
                                                          {"%nwarpid", warp_count},
                                                          {"%lanemask_eq", lane_mask_eq},
                                                          {"%lanemask_lt", lane_mask_lt},
                                                          {"%lanemask_le", lane_mask_le},
                                                          {"%lanemask_gt", lane_mask_gt},
                                                          {"%lanemask_ge", lane_mask_ge},
                                                          {"WARP_SZ", warp_width},
                                                          {"%dynamic_smem_size", dynamic_bytes}};
  return all;
}

}  // namespace

std::size_t Layout::place(std::size_t size, std::size_t alignment, std::size_t gap_before) {
  std::size_t at = rounded_up(bytes + gap_before, alignment);
  constexpr std::size_t best = 128;
  if (gap_before != 0 && alignment < best && at % (2 * alignment) == 0) at += alignment;
  bytes = at + size;
  used.resize(at, 0);
  used.resize(bytes, 1);
  return at;
}

void Names::declare_kernel_parameters(std::string_view list) {
  for (const std::string& declaration : list_elements(list)) {
    const Variable parameter = parse_variable(declaration);
    parameters_[parameter.name] = code_.parameter.place(parameter.bytes, parameter.alignment, 0);
    code_.parameter_alignment = std::max(code_.parameter_alignment, parameter.alignment);
  }
}

void Names::begin_function() { scopes_.assign(1, {}); }
void Names::close_scope() {
  if (scopes_.size() < 2) throw std::runtime_error("} without {");
  scopes_.pop_back();
}

FramePart Names::place_frame_part(std::size_t bytes) {
  const FramePart part{rounded_up(code_.frame_bytes, frame_boundary), bytes};
  code_.frame_bytes = part.offset + bytes;
  return part;
}

void Names::declare(std::string_view statement) {
  const std::size_t end = statement.find_first_of(" \t");
  const std::string_view directive = statement.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? "" : trimmed(statement.substr(end));
  if (directive == ".reg") {
    declare_registers(rest);
  } else if (directive == ".param") {
    const Variable variable = parse_variable(rest);
    name_frame_part(variable.name, place_frame_part(variable.bytes));
  } else if (directive == ".shared") {
    const Variable variable = parse_variable(rest);
    scopes_.back().shared[variable.name] = place_shared(variable);
  } else if (directive == ".local") {
    const Variable variable = parse_variable(rest);
    scopes_.back().local[variable.name] = code_.local.place(variable.bytes, variable.alignment, gap);
  } else if (directive != ".pragma" && directive != ".callprototype") {
    throw std::runtime_error("directive " + std::string(directive));
  }
}

void Names::declare_registers(std::string_view list) {
  const std::size_t end = list.find_first_of(" \t");
  const Type type = type_named(list.substr(1, end - 1));
  const bool predicate = type == Type::pred;
  const int bits = predicate ? 1 : bits_of(type);
  if (type == Type::none || bits > 64) throw std::runtime_error("registers of this type");
  int& next = predicate ? code_.predicates : code_.registers;
  for (const std::string& name : split(list.substr(end), ',')) {
    if (const std::size_t angle = name.find('<'); angle != std::string::npos) {
      const int count = std::atoi(name.c_str() + angle + 1);
      scopes_.back().ranges.push_back({name.substr(0, angle), next, count, bits, predicate});
      next += count;
    } else {
      scopes_.back().registers[name] = {next++, bits, predicate};
    }
  }
}

std::optional<Register> Names::find_register(std::string_view name) const {
  for (std::size_t s = scopes_.size(); s-- > 0;) {
    const auto found = scopes_[s].registers.find(name);
    if (found != scopes_[s].registers.end()) return found->second;
    for (const Range& range : scopes_[s].ranges) {
      if (!name.starts_with(range.prefix)) continue;
      const std::string digits(name.substr(range.prefix.size()));
      if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) continue;
      const int number = std::atoi(digits.c_str());
      if (number < range.count) return Register{range.first + number, range.bits, range.predicate};
    }
  }
  return std::nullopt;
}
Register Names::register_named(std::string_view name) const {
  const std::optional<Register> found = find_register(name);
  if (!found) throw std::runtime_error("no register: " + std::string(name));
  return *found;
}
std::optional<FramePart> Names::find_frame_part(std::string_view name) const {
  for (std::size_t s = scopes_.size(); s-- > 0;) {
    const auto found = scopes_[s].frame.find(name);
    if (found != scopes_[s].frame.end()) return found->second;
  }
  return std::nullopt;
}

int Names::new_constant(Word value) {
  const int number = static_cast<int>(code_.constants.size() / warp_size);
  code_.constants.insert(code_.constants.end(), warp_size, value);
  return number;
}
Operand Names::constant(Word value) {
  const auto found = constants_.find(value);
  if (found != constants_.end()) return ~found->second;
  const int number = new_constant(value);
  constants_[value] = number;
  return ~number;
}

Operand Names::operand(std::string_view text) {
  if (is_literal(text)) return constant(literal(text));
  if (const auto found = specials().find(text); found != specials().end()) return found->second;
  if (const std::optional<Register> found = find_register(text)) {
    if (found->predicate) throw std::runtime_error("a predicate in place of a register: " + std::string(text));
    return found->number;
  }
  return symbol(text);
}

std::size_t Names::place_shared(const Variable& variable) {
  if (const auto found = shared_.find(variable.name); found != shared_.end()) return found->second;
  const std::size_t at = code_.shared.place(variable.bytes, variable.alignment, gap);
  shared_[variable.name] = at;
  return at;
}

Operand Names::symbol(std::string_view name) {
  if (const auto found = parameters_.find(name); found != parameters_.end()) {
    const auto known = parameter_constants_.find(found->second);
    if (known != parameter_constants_.end()) return ~known->second;
    return ~(parameter_constants_[found->second] = new_constant(0));
  }
  for (std::size_t s = scopes_.size(); s-- > 0;) {
    if (const auto at = scopes_[s].shared.find(name); at != scopes_[s].shared.end()) return constant(at->second);
    if (const auto at = scopes_[s].local.find(name); at != scopes_[s].local.end()) return constant(at->second);
  }
  if (const auto found = module_.shared.find(name); found != module_.shared.end()) {
    if (!found->second.external) return constant(place_shared(found->second));
    if (dynamic_constant_ == nothing) dynamic_constant_ = new_constant(0);
    return ~dynamic_constant_;
  }
  if (const auto found = module_.globals.find(name); found != module_.globals.end()) {
    if (!found->second.problem.empty()) throw std::runtime_error(found->second.problem);
    return constant(reinterpret_cast<std::uintptr_t>(found->second.memory));
  }
  throw std::runtime_error("unknown: " + std::string(name));
}

/// Dynamic shared memory lies behind all other, aligned to 16 bytes and no better.
void Names::settle_dynamic_shared() {
  if (dynamic_constant_ == nothing) return;
  constexpr std::size_t alignment = 16;
  code_.has_dynamic_shared = true;
  code_.dynamic_start = rounded_up(code_.shared.bytes + gap, 2 * alignment) + alignment;
  const auto first = code_.constants.begin() + static_cast<std::ptrdiff_t>(dynamic_constant_) * warp_size;
  std::fill_n(first, warp_size, code_.dynamic_start);
}

}  // namespace ptx
