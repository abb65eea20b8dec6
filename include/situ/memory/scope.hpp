// SPDX-License-Identifier: Apache-2.0
// `MemoryScope`: the memory of a device that a part of a program uses.
#pragma once

#include <cstddef>

#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/pool.hpp>
#include <situ/memory/pool_state.hpp>
#include <situ/memory/storage.hpp>

namespace situ {

/// Counts the memory of device `D` in use while it is alive, for the whole process, since threads share a device.
/// Scopes may nest and overlap freely, and do not affect `memory_stats`.
///
///     MemoryScope<Cuda<0>> scope;                    // or MemoryScope scope(gpu<0>);
///     train_one_epoch(net);
///     std::cout << scope.peak_above_start();         // what the epoch needed, on top of what there was: bytes
///
/// A GPU's memory counts from the call on the host that allocates it to the one that frees it; the GPU's work may lag
/// behind. Exact for blocks over 32 KiB, as `MemoryStats::peak` is: small ones in a thread's own free lists count as in
/// use.
template <Device D = Cpu>
class [[nodiscard]] MemoryScope {
 public:
  [[nodiscard]] explicit MemoryScope(D = {}) noexcept : start_(internal::memory::Pool<D>::watch(watch_)) {}
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;
  ~MemoryScope() { internal::memory::Pool<D>::unwatch(watch_); }

  /// The most bytes in use at once since the scope began, those already in use then included.
  [[nodiscard]] std::size_t peak() const noexcept { return internal::memory::Pool<D>::peak_of(watch_); }
  /// Bytes in use when the scope began.
  [[nodiscard]] std::size_t start() const noexcept { return start_; }
  /// `peak() - start()`: what the scope needed on top of what there was.
  [[nodiscard]] std::size_t peak_above_start() const noexcept { return peak() - start_; }

 private:
  internal::memory::PeakWatch watch_;  // before start_, which its registration returns
  std::size_t start_;
};

}  // namespace situ
