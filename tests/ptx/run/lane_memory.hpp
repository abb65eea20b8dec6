// SPDX-License-Identifier: Apache-2.0
// Memory of each lane of a warp: local variables, or parameters of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptx {

struct Layout;

/// Whether a byte was written since its block, or its thread, began. A gap lies in no variable.
enum class ByteState : std::uint8_t { gap, unwritten, written };

class LaneMemory {
 public:
  void resize(const Layout& layout);
  void resize(std::size_t bytes);
  void forget() { state_ = fresh_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] char* lane(int number) { return start_ + static_cast<std::size_t>(number) * stride_; }
  [[nodiscard]] ByteState* state(int number) { return state_.data() + static_cast<std::size_t>(number) * stride_; }
  /// What it starts as: anything.
  void fill(std::uint64_t& random);

 private:
  std::size_t bytes_ = 0;   // that a lane may use
  std::size_t stride_ = 0;  // a multiple of 16
  std::vector<char> room_;
  char* start_ = nullptr;
  std::vector<ByteState> state_, fresh_;
};

}  // namespace ptx
