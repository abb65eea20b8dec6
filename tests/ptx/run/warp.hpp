// SPDX-License-Identifier: Apache-2.0
// 32 threads that run together, each with a place in the program of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "code.hpp"
#include "history.hpp"
#include "lane_memory.hpp"
#include "registers.hpp"

namespace ptx {

class Launch;

class Warp {
 public:
  /// Once a launch; `in_block` is its number. Registers and local memory start as pieces of `garbage`.
  void prepare(Launch& launch, int in_block, const std::vector<char>& garbage);
  /// At the first instruction of a block.
  void start();
  /// Runs until all lanes wait for other warps or have left, or the launch has stopped.
  void run();

  /// An operand's 32 words, as they are.
  [[nodiscard]] const Word* words(Operand operand) const {
    return operand >= 0 ? registers.words(operand) : &code_->constants[static_cast<std::size_t>(~operand) * warp_size];
  }
  /// An operand whose value matters: complains of lanes where it is undefined.
  [[nodiscard]] const Word* used(const Instruction& at, Operand operand, Lanes lanes) {
    if (operand >= 0 && (registers.defined(operand) & lanes) != lanes) [[unlikely]]
      complain_undefined(at, operand, lanes);
    return words(operand);
  }
  [[nodiscard]] Lanes defined(Operand operand) const { return operand >= 0 ? registers.defined(operand) : all_lanes; }
  /// A register to write; it is defined in `lanes`.
  [[nodiscard]] Word* result(int to, Lanes lanes) {
    registers.define(to, lanes);
    return registers.words(to);
  }
  /// A register to write with what is computed from operands that are defined in the lanes `sound`.
  [[nodiscard]] Word* result(int to, Lanes lanes, Lanes sound) {
    registers.define(to, lanes);
    if ((sound & lanes) != lanes) [[unlikely]]
      registers.undefine(to, lanes & ~sound);
    return registers.words(to);
  }
  /// The lanes where a predicate holds. Where it is undefined, that is a complaint.
  [[nodiscard]] Lanes holds(const Instruction& at, const PredicateOperand& predicate, Lanes lanes) {
    if (predicate.number == nothing) return predicate.constant ? all_lanes : Lanes{0};
    if ((registers.predicate_defined(predicate.number) & lanes) != lanes) [[unlikely]] {
      complain_undefined_predicate(at, predicate.number, lanes);
    }
    const Lanes value = registers.predicate(predicate.number);
    return predicate.negated ? ~value : value;
  }
  void complain_undefined(const Instruction& at, Operand operand, Lanes lanes);
  void complain_undefined_predicate(const Instruction& at, int number, Lanes lanes);

  [[nodiscard]] Launch& launch() const { return *launch_; }
  [[nodiscard]] const Code& code() const { return *code_; }

  Registers registers;
  LaneMemory local, frame;
  int number = 0;
  int first_thread = 0;  // of the block
  Lanes exists = 0;      // threads that the block has
  Lanes exited = 0;      // or that do not exist
  Lanes at_barrier = 0;
  Lanes waiting = 0;  // for lanes of the warp
  Lanes carry = 0;    // the condition code
  Lanes carry_defined = 0;
  Time synchronized = 0;  // when lanes of the warp last met
  std::array<int, warp_size> place{};

 private:
  struct Call {
    int place;
    int copies;
  };
  /// Lanes that run on together, and up to where.
  struct Group {
    Lanes lanes;
    int start;
    int depth;
    int limit;  // where other lanes wait
  };
  [[nodiscard]] Group next_group(Lanes ready) const;
  void run_group(const Group& group);
  /// What is no `next` and no branch of all lanes. Returns where the group goes on, or `nothing` when it is split.
  [[nodiscard]] int jump(const Instruction& at, int here, Lanes lanes, Lanes group, int depth);
  void branch_indexed(const Instruction& at, Lanes lanes);
  void call(const Instruction& at, int here, Lanes lanes);
  void leave(Lanes lanes, int depth);
  [[nodiscard]] bool meets(const Instruction& at, Lanes lanes, Lanes group) const;
  void act_together(const Instruction& at, Lanes lanes);
  void resolve_waiting();
  void set_place(Lanes lanes, int to);

  Launch* launch_ = nullptr;
  Code* code_ = nullptr;
  std::array<int, warp_size> depth_{};
  std::vector<Call> calls_;  // call_depth a lane
};

/// Calls `f` with each lane's number.
template <class F>
inline void each_lane(Lanes lanes, F f) {
  if (lanes == all_lanes) {
    for (int lane = 0; lane < warp_size; ++lane) f(lane);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
  }
}

}  // namespace ptx
