// SPDX-License-Identifier: Apache-2.0
#include "warp.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "launch.hpp"
#include "text.hpp"

namespace ptx {

void Warp::prepare(Launch& launch, int in_block, const std::vector<char>& garbage) {
  launch_ = &launch;
  code_ = &launch.code;
  number = in_block;
  first_thread = warp_size * in_block;
  const int threads = std::min(warp_size, launch.grid.threads - first_thread);
  exists = static_cast<Lanes>(ones(threads));
  registers.resize(code_->registers, code_->predicates);
  registers.fill(garbage, launch.random);
  local.resize(code_->local);
  frame.resize(code_->frame_bytes);
  local.fill(launch.random);
  calls_.resize(static_cast<std::size_t>(warp_size * code_->call_depth));
}

void Warp::start() {
  const Launch& in = *launch_;
  exited = ~exists;
  at_barrier = waiting = carry_defined = 0;
  place.fill(0);
  depth_.fill(0);
  registers.forget();
  local.forget();
  frame.forget();
  synchronized = 0;
  for (int lane = 0; lane < warp_size; ++lane) {
    const Lanes own = Lanes{1} << lane;
    const auto set = [&](Special which, std::int64_t value) {
      registers.words(which)[lane] = static_cast<std::uint32_t>(value);
    };
    set(tid_x, first_thread + lane);
    set(ntid_x, in.grid.threads);
    set(ctaid_x, in.block_x);
    set(nctaid_x, in.grid.blocks);
    set(ctaid_y, in.block_y);
    set(nctaid_y, in.grid.blocks_y);
    set(lane_id, lane);
    set(warp_id, number);
    set(warp_count, (in.grid.threads + warp_size - 1) / warp_size);
    set(lane_mask_eq, own);
    set(lane_mask_lt, own - 1);
    set(lane_mask_le, own | (own - 1));
    set(lane_mask_gt, static_cast<Lanes>(~(own | (own - 1))));
    set(lane_mask_ge, static_cast<Lanes>(~(own - 1)));
    set(always_zero, 0);
    set(always_one, 1);
    set(warp_width, warp_size);
    set(dynamic_bytes, static_cast<std::int64_t>(in.grid.dynamic_bytes));
  }
  for (int which = 0; which < special_count; ++which) registers.define(which, all_lanes);
}

void Warp::run() {
  while (!launch_->stopped) {
    const Lanes ready = ~(exited | at_barrier | waiting);
    if (ready != 0) {
      run_group(next_group(ready));
    } else if (waiting != 0) {
      resolve_waiting();
    } else {
      return;
    }
  }
}

/// Those deepest in calls first, then those least far: so lanes meet again behind what they did apart.
Warp::Group Warp::next_group(Lanes ready) const {
  Group group{0, INT_MAX, -1, INT_MAX};
  each_lane(ready, [&](int lane) {
    const auto at = static_cast<std::size_t>(lane);
    if (depth_[at] > group.depth || (depth_[at] == group.depth && place[at] < group.start)) {
      group.depth = depth_[at];
      group.start = place[at];
    }
  });
  each_lane(ready, [&](int lane) {
    const auto at = static_cast<std::size_t>(lane);
    if (depth_[at] != group.depth) return;
    if (place[at] == group.start) {
      group.lanes |= Lanes{1} << lane;
    } else {
      group.limit = std::min(group.limit, place[at]);
    }
  });
  return group;
}

void Warp::run_group(const Group& group) {
  const Instruction* const code = code_->instructions.data();
  std::uint64_t* const runs = code_->runs.data();
  const auto threads = static_cast<std::uint64_t>(std::popcount(group.lanes));
  const std::uint64_t most = (launch_->options.most_instructions - launch_->instructions) / threads;
  std::uint64_t steps = 0;
  int at = group.start;
  do {
    const Instruction& instruction = code[at];
    Lanes lanes = group.lanes;
    if (instruction.guard.number != nothing) lanes &= holds(instruction, instruction.guard, group.lanes);
    ++steps;
    ++runs[at];
    if (instruction.control == Control::next) {
      if (lanes != 0) instruction.operation(*this, instruction, lanes);
      ++at;
    } else if (lanes == 0) {
      ++at;
    } else if (instruction.control == Control::branch && lanes == group.lanes) {
      at = instruction.target;
      if (steps >= most) break;
    } else {
      at = jump(instruction, at, lanes, group.lanes, group.depth);
    }
  } while (at != nothing && at < group.limit);
  if (at != nothing) set_place(group.lanes, at);
  launch_->instructions += steps * threads;
  if (launch_->instructions >= launch_->options.most_instructions) {
    launch_->complain("too many instructions", this, std::countr_zero(group.lanes), nullptr,
                      [&] { return std::to_string(launch_->instructions); });
    launch_->stopped = true;
  }
}

int Warp::jump(const Instruction& at, int here, Lanes lanes, Lanes group, int depth) {
  if (at.control == Control::together) {
    // That the mask is defined: it decides who takes part.
    (void)used(at, at.source[static_cast<std::size_t>(at.mask)], lanes);
    if (meets(at, lanes, group)) {
      act_together(at, lanes);
      return here + 1;
    }
  }
  set_place(group & ~lanes, here + 1);
  switch (at.control) {
    case Control::branch:
      set_place(lanes, at.target);
      break;
    case Control::branch_indexed:
      branch_indexed(at, lanes);
      break;
    case Control::exit:
      exited |= lanes;
      break;
    case Control::ret:
      leave(lanes, depth);
      break;
    case Control::call:
      call(at, here, lanes);
      break;
    case Control::barrier:
      at_barrier |= lanes;
      set_place(lanes, here);
      break;
    case Control::together:
      waiting |= lanes;
      set_place(lanes, here);
      break;
    case Control::stop:
      launch_->complain("trap", this, std::countr_zero(lanes), &at, [] { return std::string(); });
      launch_->stopped = true;
      exited |= lanes;
      break;
    case Control::next:
      break;
  }
  return nothing;
}

void Warp::set_place(Lanes lanes, int to) {
  each_lane(lanes, [&](int lane) { place[static_cast<std::size_t>(lane)] = to; });
}

void Warp::branch_indexed(const Instruction& at, Lanes lanes) {
  const Word* const index = used(at, at.source[0], lanes);
  const std::vector<int>& targets = code_->targets[static_cast<std::size_t>(at.table)];
  each_lane(lanes, [&](int lane) {
    const auto wanted = static_cast<std::uint32_t>(index[lane]);
    if (wanted >= targets.size()) {
      launch_->complain("brx.idx out of range", this, lane, &at,
                        [&] { return formatted("%u of %zu targets", wanted, targets.size()); });
      launch_->stopped = true;
      return;
    }
    place[static_cast<std::size_t>(lane)] = targets[wanted];
  });
}

void Warp::call(const Instruction& at, int here, Lanes lanes) {
  const CallCopies& copies = code_->copies[static_cast<std::size_t>(at.table)];
  each_lane(lanes, [&](int lane) {
    char* const memory = frame.lane(lane);
    ByteState* const state = frame.state(lane);
    for (const FrameCopy& copy : copies.arguments) {
      std::memcpy(memory + copy.to, memory + copy.from, copy.bytes);
      std::memcpy(state + copy.to, state + copy.from, copy.bytes);
    }
    int& depth = depth_[static_cast<std::size_t>(lane)];
    calls_[static_cast<std::size_t>(lane * code_->call_depth + depth++)] = {here + 1, at.table};
    place[static_cast<std::size_t>(lane)] = at.target;
  });
}

void Warp::leave(Lanes lanes, int depth) {
  if (depth == 0) {
    exited |= lanes;
    return;
  }
  each_lane(lanes, [&](int lane) {
    int& own = depth_[static_cast<std::size_t>(lane)];
    const Call& from = calls_[static_cast<std::size_t>(lane * code_->call_depth + --own)];
    char* const memory = frame.lane(lane);
    ByteState* const state = frame.state(lane);
    for (const FrameCopy& copy : code_->copies[static_cast<std::size_t>(from.copies)].results) {
      std::memcpy(memory + copy.to, memory + copy.from, copy.bytes);
      std::memcpy(state + copy.to, state + copy.from, copy.bytes);
    }
    place[static_cast<std::size_t>(lane)] = from.place;
  });
}

}  // namespace ptx
