// SPDX-License-Identifier: Apache-2.0
// Who looks at launches: told of each before it runs, with the bytes of its kernel and the memory that it may touch,
// and after. Programs that nobody looks at pay for one comparison a launch, and for each kernel's name in the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <situ/emulation/machine.hpp>

namespace situ::internal::cuda::emulated {

namespace detail {
/// A `K` alone. In a class g++ 12 forgets the bytes of an array of more than 64 when it looks for what comes behind it,
/// not in a union.
template <class K>
union Alone {
  K kernel;
};
/// Makes the bytes of a `K` 0 where no member of it lies, and leaves the others; false where the compiler cannot say.
template <class K>
bool clear_holes([[maybe_unused]] void* kernel) noexcept {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(static_cast<Alone<K>*>(kernel));
  return true;
#endif
#endif
  return false;
}
}  // namespace detail

/// What is known of a kernel's type beside its code.
struct KernelType {
  const std::type_info* info;
  std::size_t bytes;
  bool (*clear_holes)(void* kernel) noexcept;
};
template <class K>
inline constexpr KernelType kernel_type{&typeid(K), sizeof(K), &detail::clear_holes<K>};

/// An allocation, by the bytes that were asked for, of the caching pool too.
struct ObservedMemory {
  char* start;
  std::size_t bytes;
  bool pinned;  // memory of the host
};

struct ObservedLaunch {
  const char* type;  // typeid(K).name()
  const char* name;  // K::name
  int device;
  std::int64_t blocks;
  int blocks_y;
  int threads;
  std::size_t dynamic_bytes;
  std::span<const std::byte> kernel;
  /// As many bytes as the kernel has, not 0 where no member of it lies; empty where the compiler does not say (g++
  /// does).
  std::span<const std::byte> holes;
  /// What the launch may touch, by address: the memory of its device, of those that have given it access, and pinned
  /// memory.
  std::span<const ObservedMemory> memory;
};

/// Is called in the turn of each launch, with its memory open, by one host thread at a time; in a graph's launch, too.
/// What it does to that memory is the program's. It may call nothing of the API, and what it throws is a failure of the
/// launch.
class LaunchObserver {
 public:
  LaunchObserver() = default;
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;
  virtual ~LaunchObserver() = default;
  virtual void before(const ObservedLaunch& launch) = 0;
  /// `failure`: what went wrong; empty when nothing did.
  virtual void after(const ObservedLaunch& launch, const std::string& failure) = 0;
};

namespace detail {
inline constinit LaunchObserver* launch_observer = nullptr;  // under the machine's lock
}  // namespace detail

/// Has all launches observed from now on, those called before and not yet run among them; null: by nobody. Gives who
/// did so far.
inline LaunchObserver* set_launch_observer(LaunchObserver* observer) {
  const std::lock_guard guard(machine().lock);
  return std::exchange(detail::launch_observer, observer);
}

namespace detail {

/// The memory that a launch on `device` may touch.
inline std::vector<ObservedMemory> memory_of_launch(const Machine& here, int device) {
  std::map<char*, ObservedMemory> found;
  const auto add = [&](char* start, std::size_t bytes, bool pinned) {
    if (bytes > 0) found.emplace(start, ObservedMemory{start, bytes, pinned});
  };
  for (const Pool* const pool : here.pools) {
    if (pool->device != device && (pool->peers >> device & 1) == 0) continue;
    pool->memory.for_each([&](char* start, std::size_t bytes) { add(start, bytes, false); });
  }
  for (const auto& [start, bytes] : here.host_blocks) add(const_cast<char*>(start), bytes, true);
  std::vector<ObservedMemory> memory;
  for (const auto& [start, part] : found) memory.push_back(part);
  return memory;
}

/// Runs a launch whose turn has come; gives what went wrong.
inline std::string run_launch(Machine& here, const Launch& launch) {
  const std::uint64_t seed = here.order == Order::random ? here.seed : 0;
  if (launch_observer == nullptr) return here.block->run(launch, seed);
  const KernelType& type = *launch.type;
  std::vector<std::byte> holes(type.bytes, std::byte{0xff});
  if (type.clear_holes(holes.data())) {
    for (std::byte& b : holes) b = ~b;
  } else {
    holes.clear();
  }
  const std::vector<ObservedMemory> memory = memory_of_launch(here, launch.device);
  const ObservedLaunch observed{type.info->name(),
                                launch.name,
                                launch.device,
                                launch.blocks,
                                launch.blocks_y,
                                launch.threads,
                                launch.dynamic_bytes,
                                {static_cast<const std::byte*>(launch.kernel), type.bytes},
                                holes,
                                memory};
  launch_observer->before(observed);
  const std::string failure = here.block->run(launch, seed);
  launch_observer->after(observed, failure);
  return failure;
}

}  // namespace detail

}  // namespace situ::internal::cuda::emulated
