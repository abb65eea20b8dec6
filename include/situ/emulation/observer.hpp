// SPDX-License-Identifier: Apache-2.0
// Who looks at launches: told of each before it runs and after. Programs that nobody looks at pay for one comparison a
// launch, and for each kernel's name in the program. What an observer asks of a launch is in observed.hpp, which
// launches do not include.
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
/// Runs a launch whose turn has come; gives what went wrong.
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
