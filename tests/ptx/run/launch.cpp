// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "text.hpp"

namespace ptx {
namespace {

/// `room` has at least `boundary` bytes more than what is placed there.
char* aligned(std::vector<char>& room, std::size_t boundary) {
  const std::size_t over = reinterpret_cast<std::uintptr_t>(room.data()) % boundary;
  return room.data() + (boundary - over) % boundary;
}

/// Numbers of threads fit into their type, with room for `several`.
bool can_number(const Grid& grid) {
  const double threads = static_cast<double>(grid.blocks) * grid.blocks_y * grid.threads;
  return threads < several;
}

}  // namespace

Launch::Launch(Code& of, std::string_view kernel_name, const Grid& in_grid, const Options& with, Complaints& complaints)
    : code(of), name(kernel_name), grid(in_grid), options(with), complaints_(complaints) {
  random = options.seed;
  races = options.races && can_number(grid);
  shared_bytes = code.has_dynamic_shared ? code.dynamic_start + grid.dynamic_bytes : code.shared.bytes;
  constexpr std::size_t boundary = 2048;
  shared_room_.resize(shared_bytes + boundary);
  shared = aligned(shared_room_, boundary);
  garbage_ = random_bytes(shared_bytes, random);
  shared_fresh_.assign(shared_bytes, ByteState::unwritten);
  for (std::size_t at = 0; at < code.shared.bytes; ++at) {
    if (code.shared.used[at] == 0) shared_fresh_[at] = ByteState::gap;
  }
  for (std::size_t at = code.shared.bytes; code.has_dynamic_shared && at < code.dynamic_start; ++at) {
    shared_fresh_[at] = ByteState::gap;
  }
  if (races) shared_history = History(shared, shared_bytes);
  for (const Instruction& instruction : code.instructions) instruction.region = 0;
  warps_.resize(static_cast<std::size_t>((grid.threads + warp_size - 1) / warp_size));
  order_.resize(warps_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  constexpr std::size_t enough = 16384;
  const std::vector<char> garbage = random_bytes(enough, random);
  for (std::size_t k = 0; k < warps_.size(); ++k) warps_[k].prepare(*this, static_cast<int>(k), garbage);
}

void Launch::place_parameter(const Parameter& given) {
  // Aligned as declared and no better.
  constexpr std::size_t boundary = 512;
  parameter_room.resize(given.bytes.size() + 2 * boundary);
  parameter = aligned(parameter_room, boundary) + code.parameter_alignment;
  if (!given.bytes.empty()) std::memcpy(parameter, given.bytes.data(), given.bytes.size());
  for (const auto& [offset, constant] : code.parameter_constants) {
    const auto first = code.constants.begin() + static_cast<std::ptrdiff_t>(constant) * warp_size;
    std::fill_n(first, warp_size, reinterpret_cast<std::uintptr_t>(parameter + offset));
  }
  parameter_holes.resize(given.bytes.size());
  for (std::size_t at = 0; at < parameter_holes.size(); ++at) {
    const bool hole = at < given.holes.size() && given.holes[at] != std::byte{0};
    parameter_holes[at] = hole || code.parameter.used[at] == 0 ? 1 : 0;
  }
}

void Launch::place_memory(std::span<const Region> regions) {
  for (std::size_t k = 0; k < regions.size(); ++k) {
    Allocation made;
    made.start = regions[k].start;
    made.end = made.start + regions[k].bytes;
    made.region = static_cast<int>(k);
    made.before.assign(made.start, made.end);
    made.stored.assign(regions[k].bytes, Stored::by_nobody);
    if (races) made.history = History(made.start, regions[k].bytes);
    memory.push_back(std::move(made));
  }
  for (const auto& [variable_name, variable] : code.module->globals) {
    Allocation made;
    made.start = variable.memory;
    made.end = made.start + variable.bytes;
    made.constant = variable.space == ".const";
    if (races && !made.constant) made.history = History(made.start, variable.bytes);
    memory.push_back(std::move(made));
  }
  std::sort(memory.begin(), memory.end(), [](const Allocation& a, const Allocation& b) { return a.start < b.start; });
}

Allocation* Launch::allocation_at(const char* place, std::size_t bytes, int& hint) {
  if (memory.empty()) return nullptr;
  Allocation* found = &memory[static_cast<std::size_t>(hint) < memory.size() ? static_cast<std::size_t>(hint) : 0];
  if (place < found->start || place + bytes > found->end) {
    const auto next = std::upper_bound(memory.begin(), memory.end(), place,
                                       [](const char* at, const Allocation& other) { return at < other.start; });
    if (next == memory.begin()) return nullptr;
    found = &*std::prev(next);
    hint = static_cast<int>(found - memory.data());
  }
  return place + bytes <= found->end ? found : nullptr;
}

Accessor Launch::accessor(const Warp& warp, int lane) const {
  Accessor me;
  const auto threads = static_cast<Thread>(grid.threads);
  me.block_first = static_cast<Thread>(block_number()) * threads + 1;
  me.block_end = me.block_first + threads;
  me.warp_first = me.block_first + static_cast<Thread>(warp.first_thread);
  me.thread = me.warp_first + static_cast<Thread>(lane);
  me.barrier = barrier;
  me.warp_sync = warp.synchronized;
  return me;
}

void Launch::run() {
  const auto all = static_cast<std::uint64_t>(grid.blocks) * static_cast<std::uint64_t>(grid.blocks_y);
  std::uint64_t at = 0;
  std::uint64_t step = 1;
  if (options.seed != 0) {  // each block once, as the step and their number have no divisor in common
    at = next_random(random) % all;
    step = next_random(random) % all + 1;
    while (std::gcd(step, all) != 1) ++step;
  }
  for (std::uint64_t k = 0; k < all && !stopped; ++k, at = (at + step) % all) {
    block_x = static_cast<std::int64_t>(at % static_cast<std::uint64_t>(grid.blocks));
    block_y = static_cast<int>(at / static_cast<std::uint64_t>(grid.blocks));
    run_block();
  }
}

void Launch::run_block() {
  block_start = barrier = ++now;
  if (races) ordering.begin(block_number());
  std::copy(garbage_.begin(), garbage_.end(), shared);
  shared_state = shared_fresh_;
  for (Warp& warp : warps_) warp.start();
  while (true) {
    if (options.seed != 0) shuffle_warps();
    bool waits = false;
    for (const std::size_t which : order_) {
      warps_[which].run();
      if (stopped) return;
      waits = waits || warps_[which].at_barrier != 0;
    }
    if (!waits) return;
    meet_at_barrier();
  }
}

void Launch::shuffle_warps() {
  for (std::size_t k = order_.size(); k > 1; --k) std::swap(order_[k - 1], order_[next_random(random) % k]);
}

/// Nobody of the block can go on, and some wait at a barrier. Threads that left are no longer waited for by a GPU, but
/// by CUDA's rules all threads of a block come to the same barriers.
void Launch::meet_at_barrier() {
  int place = nothing;
  const Instruction* at = nullptr;
  bool left = false;
  for (Warp& warp : warps_) {
    left = left || (warp.exited & warp.exists) != 0;
    each_lane(warp.at_barrier, [&](int lane) {
      int& own = warp.place[static_cast<std::size_t>(lane)];
      if (place == nothing) {
        place = own;
        at = &code.instructions[static_cast<std::size_t>(place)];
      } else if (own != place) {
        complain("threads of a block at different barriers", &warp, lane, at, [&] {
          return formatted("the other is at PTX line %d", code.instructions[static_cast<std::size_t>(own)].line);
        });
      }
      ++own;
    });
    warp.at_barrier = 0;
  }
  if (left) {
    complain("a barrier that threads of the block never reach", nullptr, 0, at,
             [] { return std::string("they have left the kernel"); });
  }
  barrier = ++now;
}

std::string Launch::where(const Warp* warp, int lane, const Instruction* at) const {
  std::string text =
      formatted("grid %lld x %d of %d", static_cast<long long>(grid.blocks), grid.blocks_y, grid.threads);
  if (warp != nullptr || at != nullptr) text += formatted(", block %lld", static_cast<long long>(block_x));
  if (grid.blocks_y > 1) text += formatted(", %d", block_y);
  if (warp != nullptr) text += formatted(", thread %d", warp->first_thread + lane);
  if (at != nullptr) {
    const auto which = static_cast<std::size_t>(at - code.instructions.data());
    text += formatted(", PTX line %d: ", at->line) + code.texts[which];
  }
  return text + ": ";
}

Outcome Launch::finish() {
  Outcome outcome;
  outcome.finished = !stopped;
  outcome.instructions = instructions;
  for (Allocation& allocation : memory) {
    if (allocation.region == nothing) continue;
    const auto at = static_cast<std::size_t>(allocation.region);
    if (outcome.regions.size() <= at) outcome.regions.resize(at + 1);
    Written& written = outcome.regions[at];
    written.bytes.assign(allocation.start, allocation.end);
    written.stored = std::move(allocation.stored);
    std::copy(allocation.before.begin(), allocation.before.end(), allocation.start);
  }
  for (std::size_t k = 0; k < code.instructions.size(); ++k) {
    count_runs(code.instructions[k].form, std::exchange(code.runs[k], 0));
  }
  ++code.launches;
  code.blocks += static_cast<std::uint64_t>(grid.blocks) * static_cast<std::uint64_t>(grid.blocks_y);
  code.thread_instructions += instructions;
  return outcome;
}

}  // namespace ptx
