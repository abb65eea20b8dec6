// SPDX-License-Identifier: Apache-2.0
#include "lane_memory.hpp"

#include <algorithm>

#include "code.hpp"
#include "registers.hpp"

namespace ptx {
namespace {

constexpr std::size_t boundary = 16;

}  // namespace

void LaneMemory::resize(const Layout& layout) {
  resize(layout.bytes);
  for (int lane = 0; lane < warp_size; ++lane) {
    for (std::size_t at = 0; at < layout.bytes; ++at) {
      if (layout.used[at] == 0) fresh_[static_cast<std::size_t>(lane) * stride_ + at] = ByteState::gap;
    }
  }
}

void LaneMemory::fill(std::uint64_t& random) {
  const std::vector<char> garbage = random_bytes(room_.size(), random);
  std::copy(garbage.begin(), garbage.end(), room_.begin());
}

void LaneMemory::resize(std::size_t bytes) {
  bytes_ = bytes;
  stride_ = (bytes + boundary - 1) / boundary * boundary;
  room_.resize(warp_size * stride_ + boundary);
  const std::size_t over = reinterpret_cast<std::uintptr_t>(room_.data()) % boundary;
  start_ = room_.data() + (boundary - over) % boundary;
  fresh_.assign(warp_size * stride_, ByteState::unwritten);
}

}  // namespace ptx
