// SPDX-License-Identifier: Apache-2.0
// Registers of a warp, and which of them are defined.
//
// A lane of a register is defined; or undefined, because nothing was written there or it was computed from what is
// undefined; or a copy of memory of which only some bytes are defined, such as a struct with holes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "instruction.hpp"

namespace ptx {

/// Which bytes of a lane are defined: a bit each.
using Bytes = std::uint8_t;
inline constexpr Bytes all_bytes = 0xff;
[[nodiscard]] inline Bytes bytes_up_to(int count) { return static_cast<Bytes>((1 << count) - 1); }

class Registers {
 public:
  void resize(int registers, int predicates);
  /// What registers start as: pieces of `garbage`.
  void fill(const std::vector<char>& garbage, std::uint64_t& random);
  void forget();

  [[nodiscard]] Word* words(int number) { return &words_[static_cast<std::size_t>(number) * warp_size]; }
  [[nodiscard]] const Word* words(int number) const { return &words_[static_cast<std::size_t>(number) * warp_size]; }
  [[nodiscard]] Lanes defined(int number) const { return defined_[static_cast<std::size_t>(number)]; }
  void define(int number, Lanes lanes) { defined_[static_cast<std::size_t>(number)] |= lanes; }
  /// Lanes of which nothing is defined.
  void undefine(int number, Lanes lanes) {
    defined_[static_cast<std::size_t>(number)] &= ~lanes;
    copied_[static_cast<std::size_t>(number)] &= ~lanes;
  }
  /// Of a lane that was copied from memory: which bytes are defined, of `wanted`.
  void define_bytes(int number, int lane, Bytes bytes, Bytes wanted = all_bytes);
  [[nodiscard]] Bytes bytes(int number, int lane) const;
  /// Whether a lane that is not defined was copied from memory.
  [[nodiscard]] Lanes copied(int number) const { return copied_[static_cast<std::size_t>(number)]; }

  [[nodiscard]] Lanes predicate(int number) const { return predicates_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] Lanes predicate_defined(int number) const {
    return predicates_defined_[static_cast<std::size_t>(number)];
  }
  void set_predicate(int number, Lanes value, Lanes lanes, Lanes sound) {
    if (number == nothing) return;
    const auto at = static_cast<std::size_t>(number);
    predicates_[at] = (predicates_[at] & ~lanes) | (value & lanes);
    predicates_defined_[at] = (predicates_defined_[at] & ~lanes) | (sound & lanes);
  }

 private:
  std::vector<Word> words_;
  std::vector<Lanes> defined_;
  std::vector<Lanes> copied_;
  std::vector<Bytes> bytes_;
  std::vector<Lanes> predicates_;
  std::vector<Lanes> predicates_defined_;
};

/// The next of a series of numbers that look random (SplitMix64, of G. Steele, D. Lea and C. Flood).
[[nodiscard]] std::uint64_t next_random(std::uint64_t& state);
[[nodiscard]] std::vector<char> random_bytes(std::size_t count, std::uint64_t& state);

}  // namespace ptx
