// SPDX-License-Identifier: Apache-2.0
// The hardware behind a device, and its memory: `device_properties`, `memory_info`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include <unistd.h>

#include <situ/cuda/runtime/device_state.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/device.hpp>
#include <situ/device/runtime.hpp>

namespace situ {

/// The hardware behind a device; see `device_properties`. For the CPU, fields of GPUs are 0.
struct DeviceProperties {
  /// The vendor's name: "NVIDIA H200", "AMD EPYC 9654 96-Core Processor".
  std::string name;
  /// Bytes of memory in all; `memory_info` says how many of them are free.
  std::size_t total_memory = 0;
  /// For a GPU, the streaming multiprocessors; for the CPU, the hardware threads that the process may run on.
  int processors = 0;
  /// The compute capability, 9 and 0 of 9.0.
  int capability_major = 0;
  int capability_minor = 0;
  /// Threads of a GPU that run in lockstep.
  int warp_size = 0;
  /// The most threads in a block, and the most on a multiprocessor at once.
  int max_threads_per_block = 0;
  int max_threads_per_processor = 0;
  /// Bytes of shared memory per block: by default, and at most with the opt-in attribute.
  std::size_t shared_memory_per_block = 0;
  std::size_t max_shared_memory_per_block = 0;
  /// Bytes of the level 2 cache.
  std::size_t cache = 0;
};

/// The memory of a device, in bytes, as the system sees it; see `memory_info`.
struct MemoryInfo {
  std::size_t free = 0;
  std::size_t total = 0;
};

namespace internal {

/// The text after `key` and a colon in a file of /proc; empty if there is no such file or key.
[[nodiscard]] inline std::string proc_entry(const char* path, std::string_view key) {
  struct File {
    std::FILE* handle;
    ~File() {
      if (handle != nullptr) std::fclose(handle);
    }
  };
  const File file{std::fopen(path, "r")};
  std::array<char, 512> text{};
  while (file.handle != nullptr && std::fgets(text.data(), static_cast<int>(text.size()), file.handle) != nullptr) {
    const std::string_view line(text.data());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.substr(0, key.size()) != key) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    const std::size_t last = line.find_last_not_of(" \t\n");
    if (first <= last && last != std::string_view::npos) return std::string(line.substr(first, last + 1 - first));
  }
  return {};
}

/// From /proc/meminfo, whose numbers are in KiB.
[[nodiscard]] inline std::size_t host_memory(std::string_view key) {
  return std::strtoull(proc_entry("/proc/meminfo", key).c_str(), nullptr, 10) * 1024;
}

}  // namespace internal

/// The memory of a device across all processes: for a GPU as CUDA reports it, for the host what is available without
/// swapping. Memory of this process's tensors, and memory it keeps for reuse, is not free: see `memory_stats`.
/// Initializes a GPU if needed. Throws `DeviceUnavailable`.
///
///     std::printf("%zu of %zu bytes are free\n", memory_info(gpu<0>).free, memory_info(gpu<0>).total);
template <Device D>
[[nodiscard]] MemoryInfo memory_info(D = {}) {
  MemoryInfo info;
  if constexpr (HostDevice<D>) {
    info = {internal::host_memory("MemAvailable"), internal::host_memory("MemTotal")};
  } else if constexpr (!D::backend::present) {
    D::fail();
  } else {
    D::system_memory(info.free, info.total);
  }
  return info;
}

/// The hardware behind a device: `device_properties(gpu<0>).name`, `device_properties<Cpu>().processors`. Does not
/// initialize a GPU. Throws `DeviceUnavailable`.
template <Device D>
[[nodiscard]] DeviceProperties device_properties(D = {}) {
  DeviceProperties properties;
  if constexpr (HostDevice<D>) {
    properties.name = internal::proc_entry("/proc/cpuinfo", "model name");
    if (properties.name.empty()) properties.name = "cpu";
    properties.total_memory = memory_info<D>().total;
    properties.processors = static_cast<int>(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
  } else {
#if defined(SITU_CUDA)
    const internal::cuda::api::DeviceProperties found = internal::cuda::device_properties(D::ordinal);
    properties.name = found.name;
    properties.total_memory = found.memory;
    properties.processors = found.multiprocessors;
    properties.capability_major = found.capability / 10;
    properties.capability_minor = found.capability % 10;
    properties.warp_size = found.warp_threads;
    properties.max_threads_per_block = found.block_threads;
    properties.max_threads_per_processor = found.multiprocessor_threads;
    properties.shared_memory_per_block = found.shared_bytes;
    properties.max_shared_memory_per_block = found.shared_bytes_opt_in;
    properties.cache = found.cache_bytes;
#else
    D::fail();
#endif
  }
  return properties;
}

/// The same for the device held.
template <Device First, Device... Rest>
[[nodiscard]] MemoryInfo memory_info(const AnyDevice<First, Rest...>& device) {
  return std::visit([](auto d) { return memory_info(d); }, device);
}
template <Device First, Device... Rest>
[[nodiscard]] DeviceProperties device_properties(const AnyDevice<First, Rest...>& device) {
  return std::visit([](auto d) { return device_properties(d); }, device);
}

}  // namespace situ
