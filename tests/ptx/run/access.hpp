// SPDX-License-Identifier: Apache-2.0
// One access to memory by one thread: where it goes, and what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "launch.hpp"
#include "warp.hpp"

namespace ptx {

/// A bit for each byte of an access, which has at most 32.
using AccessBytes = std::uint32_t;
[[nodiscard]] inline AccessBytes first_bytes(int count) { return static_cast<AccessBytes>(ones(count)); }

enum class Purpose : std::uint8_t { load, store, atomic };

class Access {
 public:
  Access(Warp& warp, const Instruction& at, int lane, Word base, int bytes, Purpose purpose);
  /// Null: out of bounds, which was a complaint.
  [[nodiscard]] char* memory() const { return memory_; }
  [[nodiscard]] Space space() const { return space_; }

  /// Checks a load of what is there. The bytes that are undefined.
  [[nodiscard]] AccessBytes load(bool may_be_undefined);
  /// Checks a store, some of whose bytes may be undefined.
  void store(AccessBytes undefined, Stored kind);
  void atomic(Stored kind);

 private:
  void find(Word address);
  void find_in(char* start, std::size_t size, Word offset);
  [[nodiscard]] bool find_generic(char* place);
  void complain_outside(Word address);
  [[nodiscard]] AccessBytes unwritten(const ByteState* state, bool may_be_undefined, const char* kind);
  void write(ByteState* state, AccessBytes undefined);
  void load_global();
  void check_not_coherent();
  void report(const Conflict& conflict, bool i_store);
  void report_in_grid(const Conflict& conflict, bool i_store);

  Warp& warp_;
  Launch& launch_;
  const Instruction& at_;
  int lane_;
  int bytes_;
  Purpose purpose_;
  Space space_;
  char* memory_ = nullptr;
  std::size_t offset_ = 0;  // in its space, or in the allocation
  Allocation* allocation_ = nullptr;
};

}  // namespace ptx
