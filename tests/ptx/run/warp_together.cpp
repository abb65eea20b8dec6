// SPDX-License-Identifier: Apache-2.0
// Operations of several lanes at once: they wait for those that their mask names.
#include <bit>

#include "launch.hpp"
#include "text.hpp"
#include "warp.hpp"

namespace ptx {

/// Whether the lanes that run are just those that are named. Others are looked at when nobody can go on.
bool Warp::meets(const Instruction& at, Lanes lanes, Lanes group) const {
  const Word* const masks = words(at.source[static_cast<std::size_t>(at.mask)]);
  const auto named = static_cast<Lanes>(masks[std::countr_zero(lanes)]);
  bool alike = true;
  each_lane(lanes, [&](int lane) { alike = alike && static_cast<Lanes>(masks[lane]) == named; });
  return alike && lanes == group && (named & ~exited) == lanes && (named & exists & exited) == 0;
}

void Warp::act_together(const Instruction& at, Lanes lanes) {
  if (at.operation != nullptr) at.operation(*this, at, lanes);
  synchronized = ++launch_->now;
}

/// All lanes wait for lanes of the warp, or left, or wait for the block: those of one instruction and mask that are all
/// there go on.
void Warp::resolve_waiting() {
  for (Lanes rest = waiting; rest != 0;) {
    const int first = std::countr_zero(rest);
    const int here = place[static_cast<std::size_t>(first)];
    const Instruction& at = code_->instructions[static_cast<std::size_t>(here)];
    const Word* const masks = words(at.source[static_cast<std::size_t>(at.mask)]);
    const auto named = static_cast<Lanes>(masks[first]);
    Lanes there = 0;
    each_lane(rest, [&](int lane) {
      if (place[static_cast<std::size_t>(lane)] == here && static_cast<Lanes>(masks[lane]) == named) {
        there |= Lanes{1} << lane;
      }
    });
    rest &= ~there;
    if ((there & ~named) != 0) {
      launch_->complain("a lane that its own mask does not name", this, std::countr_zero(there & ~named), &at,
                        [&] { return formatted("mask %08x", named); });
      launch_->stopped = true;
      return;
    }
    if ((named & ~exited & ~there) != 0) continue;
    if ((named & exists & exited) != 0) {
      launch_->complain("a warp operation names a lane that has left", this, first, &at,
                        [&] { return formatted("mask %08x, left %08x", named, exited & exists); });
    }
    act_together(at, there);
    waiting &= ~there;
    each_lane(there, [&](int lane) { ++place[static_cast<std::size_t>(lane)]; });
    return;
  }
  const int first = std::countr_zero(waiting);
  launch_->complain(
      "divergent warp operation", this, first,
      &code_->instructions[static_cast<std::size_t>(place[static_cast<std::size_t>(first)])],
      [&] { return formatted("waiting %08x, at the barrier %08x, left %08x", waiting, at_barrier, exited & exists); });
  launch_->stopped = true;
}

void Warp::complain_undefined(const Instruction& at, Operand operand, Lanes lanes) {
  const Lanes bad = lanes & ~registers.defined(operand);
  const int lane = std::countr_zero(bad);
  const bool copied = (registers.copied(operand) >> lane & 1) != 0;
  launch_->complain(copied ? "undefined bytes" : "undefined register", this, lane, &at, [&] {
    if (copied) return formatted("defined are %02x of a register's bytes", registers.bytes(operand, lane));
    return formatted("in %d lanes", std::popcount(bad));
  });
}
void Warp::complain_undefined_predicate(const Instruction& at, int predicate, Lanes lanes) {
  const Lanes bad = lanes & ~registers.predicate_defined(predicate);
  launch_->complain("undefined predicate", this, std::countr_zero(bad), &at,
                    [&] { return formatted("in %d lanes", std::popcount(bad)); });
}

}  // namespace ptx
