// SPDX-License-Identifier: Apache-2.0
// What registers of bits hold: a store of 16 bits does not say whether they are float16, but what computed them does.
#include "code.hpp"

namespace ptx {
namespace {

/// What an instruction says of its results. Type::none: nothing, as with loads of bits and integers.
Type computed(const Instruction& instruction) {
  switch (instruction.type) {
    case Type::f16:
    case Type::f16x2:
      return Type::f16;
    case Type::bf16:
    case Type::bf16x2:
      return Type::bf16;
    case Type::f32:
    case Type::f64:
      return instruction.type;
    default:
      return Type::none;
  }
}

}  // namespace

void find_meanings(Code& code) {
  code.meaning.assign(static_cast<std::size_t>(code.registers), Type::none);
  const auto meaning = [&](Operand operand) {
    return operand >= 0 ? code.meaning[static_cast<std::size_t>(operand)] : Type::none;
  };
  // Registers are moved further than they are computed: as often as it changes something, within reason.
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    for (const Instruction& instruction : code.instructions) {
      Type type = computed(instruction);
      const bool bits = instruction.type == Type::b16 || instruction.type == Type::b32 ||
                        instruction.type == Type::b64 || instruction.type == Type::u16 ||
                        instruction.type == Type::u32 || instruction.type == Type::u64;
      if (type == Type::none && bits && instruction.moves) {
        for (std::size_t k = 0; k < instruction.sources && type == Type::none; ++k)
          type = meaning(instruction.source[k]);
      }
      if (type == Type::none) continue;
      for (std::size_t k = 0; k < instruction.destinations; ++k) {
        const int to = instruction.destination[k];
        if (to != nothing && meaning(to) == Type::none) code.meaning[static_cast<std::size_t>(to)] = type;
      }
    }
  }
}

}  // namespace ptx
