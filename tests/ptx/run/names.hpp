// SPDX-License-Identifier: Apache-2.0
// What names mean at a place of the text: registers, variables, parameters of calls.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code.hpp"
#include "module.hpp"

namespace ptx {

struct Register {
  int number;
  int bits;
  bool predicate;
};

/// Part of a lane's frame.
struct FramePart {
  std::size_t offset, bytes;
};

class Names {
 public:
  Names(Code& code, Module& module) : code_(code), module_(module) {}

  /// Parameters of the kernel, which lie one after the other.
  void declare_kernel_parameters(std::string_view list);
  void begin_function();
  void open_scope() { scopes_.emplace_back(); }
  void close_scope();
  /// ".reg .b32 %r<5>", ".param .b64 p", ".shared ...", ".local ..."
  void declare(std::string_view statement);
  void name_frame_part(const std::string& name, FramePart part) { scopes_.back().frame[name] = part; }
  [[nodiscard]] FramePart place_frame_part(std::size_t bytes);

  [[nodiscard]] std::optional<Register> find_register(std::string_view name) const;
  [[nodiscard]] Register register_named(std::string_view name) const;
  [[nodiscard]] std::optional<FramePart> find_frame_part(std::string_view name) const;
  /// A register, a literal, a special register, or the address of a variable.
  [[nodiscard]] Operand operand(std::string_view text);
  /// Whether a name is a parameter of the kernel.
  [[nodiscard]] bool is_kernel_parameter(std::string_view name) const { return parameters_.contains(name); }
  /// Constants that are known only when a launch begins: parameters' addresses, by the offset; the start of dynamic
  /// shared memory.
  [[nodiscard]] const std::map<std::size_t, int>& parameter_constants() const { return parameter_constants_; }
  void settle_dynamic_shared();

 private:
  struct Range {
    std::string prefix;
    int first, count, bits;
    bool predicate;
  };
  struct Scope {
    std::map<std::string, Register, std::less<>> registers;
    std::vector<Range> ranges;
    std::map<std::string, FramePart, std::less<>> frame;
    std::map<std::string, std::size_t, std::less<>> shared, local;
  };
  void declare_registers(std::string_view list);
  [[nodiscard]] Operand constant(Word value);
  [[nodiscard]] int new_constant(Word value);
  [[nodiscard]] std::size_t place_shared(const Variable& variable);
  [[nodiscard]] Operand symbol(std::string_view name);

  Code& code_;
  Module& module_;
  std::vector<Scope> scopes_;
  std::map<Word, int> constants_;
  std::map<std::string, std::size_t, std::less<>> parameters_;
  std::map<std::size_t, int> parameter_constants_;
  std::map<std::string, std::size_t, std::less<>> shared_;  // of the module
  int dynamic_constant_ = nothing;
};

}  // namespace ptx
