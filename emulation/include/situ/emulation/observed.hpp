// SPDX-License-Identifier: Apache-2.0
// Queries of an observer (observer.hpp) about a launch: the padding bytes of its kernel, and the memory that it may
// access.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <situ/emulation/observer.hpp>

namespace situ::internal::cuda::emulated {

/// An allocation, with the bytes requested, also from the caching pool.
struct ObservedMemory {
  char* start;
  std::size_t bytes;
  bool pinned;  // host memory
};

/// One byte for each byte of the kernel, nonzero for padding; empty if the compiler cannot tell (g++ can).
[[nodiscard]] inline std::vector<std::byte> holes_of(const ObservedLaunch& launch) {
  std::vector<std::byte> bytes(launch.kernel_bytes, std::byte{0xff});
  if (!launch.clear_holes(bytes.data())) return {};
  for (std::byte& b : bytes) b = ~b;
  return bytes;
}

/// The memory that the launch may access, sorted by address: that of its device, of devices that have granted it
/// access, and pinned memory. Only valid while the launch is observed.
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
