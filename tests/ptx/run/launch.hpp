// SPDX-License-Identifier: Apache-2.0
// A launch that runs: its memory, where it is in the grid, and what went wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code.hpp"
#include "history.hpp"
#include "lane_memory.hpp"
#include "machine.hpp"
#include "ordering.hpp"
#include "warp.hpp"

namespace ptx {

/// Memory that outlives the launch: a region, or a variable of the module.
struct Allocation {
  char* start = nullptr;
  char* end = nullptr;
  int region = nothing;   // in the order given; nothing: a variable
  bool constant = false;  // a __constant__ variable
  bool some_undefined = false;
  std::vector<char> before;
  std::vector<Stored> stored;             // empty for a variable
  std::vector<bool> read_not_coherently;  // empty: nothing was
  History history;
};

class Launch {
 public:
  Launch(Code& code, std::string_view name, const Grid& grid, const Options& options, Complaints& complaints);
  void place_parameter(const Parameter& parameter);
  void place_memory(std::span<const Region> regions);
  void run();
  /// What the regions hold now; puts back what they held.
  [[nodiscard]] Outcome finish();

  Code& code;
  const std::string name;
  const Grid grid;
  const Options options;

  std::vector<Allocation> memory;  // by address
  std::vector<char> parameter_room;
  char* parameter = nullptr;
  std::vector<std::uint8_t> parameter_holes;  // one a byte: nonzero for a hole

  std::size_t shared_bytes = 0;
  char* shared = nullptr;
  std::vector<ByteState> shared_state;
  History shared_history;

  std::uint64_t random = 0;
  std::int64_t block_x = 0;
  int block_y = 0;
  bool races = false;
  Time now = 1;
  Time block_start = 0;
  Time barrier = 0;
  Ordering ordering;

  std::uint64_t instructions = 0;
  bool stopped = false;

  [[nodiscard]] std::uint64_t block_number() const {
    return static_cast<std::uint64_t>(block_x) +
           static_cast<std::uint64_t>(block_y) * static_cast<std::uint64_t>(grid.blocks);
  }
  [[nodiscard]] Accessor accessor(const Warp& warp, int lane) const;
  /// The allocation with all of these bytes; `hint` is where to look first. Null: none.
  [[nodiscard]] Allocation* allocation_at(const char* place, std::size_t bytes, int& hint);

  /// `what` is called for the first of a kind and line. `warp` and `at` may be null.
  template <class What>
  void complain(const char* kind, const Warp* warp, int lane, const Instruction* at, const What& what) {
    complaints_.add(kind, name, at != nullptr ? at->line : 0, [&] { return where(warp, lane, at) + what(); });
  }
  template <class What>
  void note(const char* kind, const Warp* warp, int lane, const Instruction* at, const What& what) {
    complaints_.note(kind, name, at != nullptr ? at->line : 0, [&] { return where(warp, lane, at) + what(); });
  }

 private:
  void run_block();
  void meet_at_barrier();
  void shuffle_warps();
  [[nodiscard]] std::string where(const Warp* warp, int lane, const Instruction* at) const;

  Complaints& complaints_;
  std::vector<char> shared_room_;
  std::vector<char> garbage_;  // what shared memory starts as
  std::vector<ByteState> shared_fresh_;
  std::vector<Warp> warps_;
  std::vector<std::size_t> order_;  // of warps
};

}  // namespace ptx
