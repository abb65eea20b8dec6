// SPDX-License-Identifier: Apache-2.0
// What an entry is decoded to, with all that it calls: instructions, and where variables lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "instruction.hpp"
#include "module.hpp"

namespace ptx {

/// Registers that hold what PTX calls special: the first ones.
enum Special : int {
  tid_x,
  ntid_x,
  ctaid_x,
  nctaid_x,
  ctaid_y,
  nctaid_y,
  lane_id,
  warp_id,
  warp_count,
  lane_mask_eq,
  lane_mask_lt,
  lane_mask_le,
  lane_mask_gt,
  lane_mask_ge,
  always_zero,
  always_one,
  warp_width,
  dynamic_bytes,
  special_count
};

/// Bytes of a lane's frame that a call copies, to the function's own names of its parameters, or back.
struct FrameCopy {
  std::size_t from, to, bytes;
};
struct CallCopies {
  std::vector<FrameCopy> arguments, results;
};

/// A range of memory in which not each byte belongs to a variable.
struct Layout {
  std::size_t bytes = 0;
  std::vector<std::uint8_t> used;  // 1: part of a variable
  /// Room for a variable, aligned as declared and no better, with a gap before it. Returns its offset.
  std::size_t place(std::size_t size, std::size_t alignment, std::size_t gap);
};

struct Code {
  Module* module = nullptr;
  std::string name;
  std::string kernel_type;
  std::vector<Instruction> instructions;
  std::vector<std::string> texts;         // of instructions
  std::vector<std::uint64_t> runs;        // how many warps ran each
  std::vector<std::vector<int>> targets;  // of branch_indexed
  std::vector<CallCopies> copies;         // of calls
  int registers = special_count;
  int predicates = 0;
  std::vector<Word> constants;  // 32 lanes each
  Layout shared, local;
  std::size_t frame_bytes = 0;
  bool has_dynamic_shared = false;
  std::size_t dynamic_start = 0;
  Layout parameter;
  std::size_t parameter_alignment = 1;
  std::vector<std::pair<std::size_t, int>> parameter_constants;  // addresses, settled by a launch: offset and constant
  int call_depth = 0;
  int threads_most = 0;
  std::vector<std::string> problems;
  /// Of a register: the type of the floats that it holds, where what computes it says so; else Type::none.
  std::vector<Type> meaning;
  [[nodiscard]] Type meaning_of(Operand operand) const {
    return operand >= 0 ? meaning[static_cast<std::size_t>(operand)] : Type::none;
  }

  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
  std::uint64_t thread_instructions = 0;
};

/// Fills in Code::meaning.
void find_meanings(Code& code);

/// The number of a form, for statistics.
[[nodiscard]] int form_number(const std::string& name);
void count_runs(int form, std::uint64_t runs);

/// All forms of opcodes that are understood.
[[nodiscard]] const std::vector<std::string>& known_forms();
[[nodiscard]] bool is_known_form(const std::string& opcode);

/// Decodes an entry. What cannot be decoded is among the problems.
[[nodiscard]] std::unique_ptr<Code> decode(Module& module, const std::string& entry);

}  // namespace ptx
