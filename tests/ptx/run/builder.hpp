// SPDX-License-Identifier: Apache-2.0
// Makes one instruction from a statement. Each family of opcodes has a function that does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "instruction.hpp"
#include "names.hpp"
#include "statement.hpp"

namespace ptx {

/// What refers to another place of the text, which may not be decoded yet.
struct References {
  std::vector<std::pair<std::size_t, std::string>> branches, tables, calls;
};

class Builder {
 public:
  Builder(const Statement& of, Names& scope, Code& to, References& open, int line);

  const Statement& statement;
  Names& names;
  Code& code;
  References& references;
  Instruction made;

  [[nodiscard]] std::size_t number() const { return code.instructions.size(); }
  /// A register, or `_` for none.
  void destination(std::string_view text);
  void source(std::string_view text) { made.source.at(made.sources++) = names.operand(text); }
  /// The first operand is the destination, and so many more are sources.
  void destination_and_sources(int sources);
  [[nodiscard]] PredicateOperand predicate(std::string_view text) const;
  [[nodiscard]] int predicate_destination(std::string_view text) const;
  /// "%p1|%p2" or "%r1|%p1": the second, when there is one; returns the first.
  [[nodiscard]] std::string_view split_destination(std::string_view text, int& second) const;
  /// "[%rd1+8]" or "[variable]"; of parameters of calls, the space becomes that of the frame.
  void address(std::string_view text);
  [[nodiscard]] Space space() const;
  void take_rounding();  // .rn, .rz, .rm, .rp
};

/// Decodes the opcodes of one family. Throws std::runtime_error for what it cannot.
using Family = void (*)(Builder&);
/// Null: none has an opcode of this name.
[[nodiscard]] Family family_of(const std::string& name);

void build_arithmetic(Builder& b);  // add, sub, mul, ...: by the type, one of the next three
void build_integers(Builder& b);
void build_floats(Builder& b);
void build_small_floats(Builder& b);
void build_carries(Builder& b);      // add.cc, addc, ...
void build_logic(Builder& b);        // and, or, xor, not: also of predicates
void build_shifts(Builder& b);       // shl, shr, shf
void build_bits(Builder& b);         // prmt, lop3, bfe, bfi, popc, ...
void build_comparisons(Builder& b);  // setp, set, testp
void build_moves(Builder& b);        // mov, selp, cvta, isspacep
void build_conversions(Builder& b);  // cvt
void build_loads(Builder& b);        // ld
void build_stores(Builder& b);       // st
void build_atomics(Builder& b);      // atom, red
void build_together(Builder& b);     // shfl, vote, match, redux, activemask, bar.warp
void build_control(Builder& b);      // bra, brx, call, ret, exit, trap
void build_barriers(Builder& b);     // bar, barrier, membar, fence

}  // namespace ptx
