// SPDX-License-Identifier: Apache-2.0
// An instruction, decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace ptx {

class Warp;
struct Instruction;
/// What an instruction does in the lanes whose guard holds; there is at least one.
using Operation = void (*)(Warp&, const Instruction&, Lanes);

enum class Space : std::uint8_t {
  generic,
  global,
  shared,
  local,
  parameter,
  constant,
  frame  // parameters and results of calls
};

/// How a warp goes on. Most instructions are `next`: an operation, and then the next one.
enum class Control : std::uint8_t {
  next,
  branch,
  branch_indexed,
  exit,
  ret,
  call,
  barrier,
  together,  // an operation of all lanes that its mask names: shuffles, votes
  stop       // trap
};

/// A register's number, or that of a constant as ~number.
using Operand = int;
inline constexpr int nothing = -1;  // in place of a destination or a predicate

struct PredicateOperand {
  int number = nothing;
  bool negated = false;
  bool constant = false;  // without a number: the value
};

struct Instruction {
  Operation operation = nullptr;
  Control control = Control::next;
  Type type = Type::none;  // of the operation, or of the result
  Type from = Type::none;  // of a conversion or comparison: of the operands
  Space space = Space::generic;
  PredicateOperand guard;
  std::array<int, 8> destination = {nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing};
  std::array<Operand, 8> source = {};
  std::uint8_t destinations = 0;
  std::uint8_t sources = 0;
  std::array<int, 2> predicate_destination = {nothing, nothing};
  std::array<PredicateOperand, 2> predicate;

  // Of an address.
  Operand base = 0;
  std::int64_t offset = 0;
  bool base_is_32_bits = false;  // it wraps there

  // What else a form says; each family has its own meaning of `variant`.
  int variant = 0;
  int rounding = 0;        // FE_TONEAREST and so on
  bool flushes = false;    // .ftz
  bool saturates = false;  // .sat
  bool relu = false;
  bool not_coherent = false;  // .nc
  bool ordered = false;       // .volatile, .relaxed, .acquire, .release: meant to race
  bool moves = false;         // hands on its operands' bits
  bool acquires = false;
  bool releases = false;

  int target = nothing;    // of a branch or call: an instruction
  int table = nothing;     // of branch_indexed and call: in Code
  int mask = nothing;      // of `together`: which source says the lanes
  int form = 0;            // in forms()
  int line = 0;            // of the text
  mutable int region = 0;  // that an access met last
};

}  // namespace ptx
