// SPDX-License-Identifier: Apache-2.0
// What an observer (observer.hpp) may ask of a launch: which bytes of its kernel no member has, and which memory it may
// touch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <situ/emulation/observer.hpp>

namespace situ::internal::cuda::emulated {

/// An allocation, by the bytes that were asked for, of the caching pool too.
struct ObservedMemory {
  char* start;
  std::size_t bytes;
  bool pinned;  // memory of the host
};

/// As many bytes as the kernel has, not 0 where no member of it lies; empty where the compiler does not say (g++ does).
[[nodiscard]] inline std::vector<std::byte> holes_of(const ObservedLaunch& launch) {
  std::vector<std::byte> bytes(launch.kernel_bytes, std::byte{0xff});
  if (!launch.clear_holes(bytes.data())) return {};
  for (std::byte& b : bytes) b = ~b;
  return bytes;
}

/// What the launch may touch, by address: the memory of its device, of those that have given it access, and pinned
/// memory. Only while it is observed.
[[nodiscard]] inline std::vector<ObservedMemory> memory_of(const ObservedLaunch& launch) {
  std::vector<ObservedMemory> memory;
  const auto add = [&](char* start, std::size_t bytes, bool pinned) {
    if (bytes > 0) memory.push_back({start, bytes, pinned});
  };
  for (const Pool* const pool : launch.machine->pools) {
    if (pool->device != launch.device && (pool->peers >> launch.device & 1) == 0) continue;
    pool->memory.for_each([&](char* start, std::size_t bytes) { add(start, bytes, false); });
  }
  for (const auto& [start, bytes] : launch.machine->host_blocks) add(const_cast<char*>(start), bytes, true);
  std::sort(memory.begin(), memory.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  return memory;
}

}  // namespace situ::internal::cuda::emulated
