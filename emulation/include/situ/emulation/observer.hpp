// SPDX-License-Identifier: Apache-2.0
// Observers of launches, called before and after each one runs. Without an observer, a program pays one comparison a
// launch, and the name of each kernel in the binary. Queries about a launch are in observed.hpp, which launches do not
// include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <typeinfo>
#include <utility>

#include <situ/emulation/machine.hpp>

namespace situ::internal::cuda::emulated {

namespace detail {
/// Wraps a single `K`. In a class, but not in a union, g++ 12 misses the bytes of an array of more than 64 when it
/// looks for the padding after it.
template <class K>
union Alone {
  K kernel;
};
/// Zeroes the padding bytes of a `K` and leaves the others; false if the compiler cannot tell them.
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

/// Information about a kernel's type, besides its code.
struct KernelType {
  const std::type_info* info;
  std::size_t bytes;
  bool (*clear_holes)(void* kernel) noexcept;
};
template <class K>
inline constexpr KernelType kernel_type{&typeid(K), sizeof(K), &detail::clear_holes<K>};

struct ObservedLaunch {
  const char* type;  // typeid(K).name()
  const char* name;  // K::name
  int device;
  std::int64_t blocks;
  int blocks_y;
  int threads;
  std::size_t dynamic_bytes;
  const void* kernel;
  std::size_t kernel_bytes;
  bool (*clear_holes)(void* kernel) noexcept;  // for holes_of
  const Machine* machine;                      // for memory_of
};

/// Called when each launch runs, also within a graph, with its memory open, by one host thread at a time. Changes it
/// makes to that memory are visible to the program. It must not call the API, and an exception is a failure of the
/// launch.
class LaunchObserver {
 public:
  LaunchObserver() = default;
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;
  virtual ~LaunchObserver() = default;
  virtual void before(const ObservedLaunch& launch) = 0;
  /// `failure`: what went wrong; empty if nothing did.
  virtual void after(const ObservedLaunch& launch, const std::string& failure) = 0;
};

namespace detail {
inline constinit LaunchObserver* launch_observer = nullptr;  // under the machine's lock
}  // namespace detail

/// Sets the observer of all launches that run from now on, including those already called; null for none. Returns the
/// previous one.
inline LaunchObserver* set_launch_observer(LaunchObserver* observer) {
  const std::lock_guard guard(machine().lock);
  return std::exchange(detail::launch_observer, observer);
}

namespace detail {
/// Runs a launch when its turn has come; returns a description of the failure.
inline std::string run_launch(Machine& here, const Launch& launch) {
  const std::uint64_t seed = here.order == Order::random ? here.seed : 0;
  if (launch_observer == nullptr) return here.block->run(launch, seed);
  const KernelType& type = *launch.type;
  const ObservedLaunch observed{type.info->name(),
                                launch.name,
                                launch.device,
                                launch.blocks,
                                launch.blocks_y,
                                launch.threads,
                                launch.dynamic_bytes,
                                launch.kernel,
                                type.bytes,
                                type.clear_holes,
                                &here};
  launch_observer->before(observed);
  const std::string failure = here.block->run(launch, seed);
  launch_observer->after(observed, failure);
  return failure;
}
}  // namespace detail

}  // namespace situ::internal::cuda::emulated
