// SPDX-License-Identifier: Apache-2.0
// Statistics of a pool: the figures of `memory_stats`, and the text of `OutOfMemory`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include <situ/core/error.hpp>

namespace situ {

/// The memory of one device as this process's pool sees it; see `memory_stats`. Bytes are those of the blocks' size
/// classes (at most 12.5 % more than requested, or 64 bytes for the smallest).
struct MemoryStats {
  /// Bytes in blocks that tensors hold.
  std::size_t in_use = 0;
  /// The number of these blocks.
  std::int64_t blocks = 0;
  /// The most that `in_use` has been since the start or `reset_peak_memory`. Exact for blocks over 32 KiB; smaller
  /// ones that a thread keeps in its own free lists (at most 64 KiB for each size class) count as in use.
  std::size_t peak = 0;
  /// Bytes in free blocks kept for reuse. `in_use + cached` is all that this pool has allocated from the device.
  std::size_t cached = 0;
  /// Bytes that the library uses outside the pool: workspace of kernels, in use or kept for the next kernel;
  /// `empty_cache` frees the latter.
  std::size_t workspace = 0;
  /// The limit of `in_use + cached + workspace`; the largest `std::size_t` if there is none.
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  /// Blocks handed out since the start.
  std::int64_t allocations = 0;
  /// Those of them that came from the pool's free lists; the rest came from the system.
  std::int64_t pool_hits = 0;
  /// Writes to shared storage that had to copy it first.
  std::int64_t detaching_copies = 0;
  /// Expressions computed since the start: each time one becomes a tensor, is written to a part, or is read by a
  /// reduction or scan. An `auto` expression used 20 times counts 20 times; with `eval` it counts once.
  std::int64_t evaluations = 0;
};

namespace internal::memory {

/// "1.50 GiB (1610612736 bytes)"; below 10 KiB only the bytes.
[[nodiscard, gnu::cold]] inline std::string describe_bytes(std::size_t bytes) {
  const std::string exact = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (bytes < 10240) return exact;
  constexpr std::array<const char*, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f %s", value, units.at(unit));
  return std::string(text.data()) + " (" + exact + ")";
}

/// Throws `OutOfMemory` with the device, the figures, and what to do next.
[[noreturn, gnu::cold]] inline void throw_out_of_memory(const std::string& device, std::size_t requested,
                                                        const MemoryStats& stats, const std::string& reason,
                                                        const std::string& next_step) {
  const bool limited = stats.limit != std::numeric_limits<std::size_t>::max();
  throw OutOfMemory(
      "out of memory on " + device + ": " + describe_bytes(requested) + " asked for, " + describe_bytes(stats.in_use) +
          " in use, " + describe_bytes(stats.cached) + " cached, " +
          (stats.workspace != 0 ? describe_bytes(stats.workspace) + " to compute with, " : std::string()) + "limit " +
          (limited ? describe_bytes(stats.limit) : std::string("none")) + "; " + reason + "; " + next_step,
      requested);
}

}  // namespace internal::memory

}  // namespace situ
