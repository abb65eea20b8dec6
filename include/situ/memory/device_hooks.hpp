// SPDX-License-Identifier: Apache-2.0
// Hooks by which a pool speaks to a device whose work is queued, so that a block may be freed and reused while work on
// it is still pending. A device without these members, as `Cpu`, costs nothing.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/device/device.hpp>
#include <situ/device/foreign_stream.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/statistics.hpp>

namespace situ::internal::memory {

/// Optional members of a device. `word` is the block's own, for the device to use as it likes; 0 in a new block.
///
/// - `acquired(word, data, bytes, capacity)`: the block is handed out; may wait, may throw;
/// - `released(word, data, capacity)`: it has no handle any more;
/// - `deallocate(pointer, bytes, word)`: it is given back for good, instead of `deallocate(pointer, bytes)`;
/// - `wanted()`: which free blocks a pool hands out. Of those it looks at, at most `wanted().look_at`, newest first, the
///   first for whose word `fits(word)`, since it needs no waiting. Where none does, a fresh one when it has looked at less
///   than `wanted().enough`; else the newest when that is 1, and the last that it has looked at when it is more.
template <class D>
concept TracksBlocks = requires(std::atomic<std::uintptr_t>& word, void* data, std::size_t bytes) {
  D::acquired(word, data, bytes, bytes);
  { D::released(word, data, bytes) } noexcept;
  { D::deallocate(data, bytes, word) } noexcept;
  { D::wanted().fits(word) } -> std::same_as<bool>;
};

/// Whether work is pending that a write by the host would have to wait for; `D::idle(word)`.
template <class D>
concept TellsIdle = requires(std::atomic<std::uintptr_t>& word) {
  { D::idle(word) } -> std::same_as<bool>;
};

/// Several devices may share one physical memory, which the library also takes for its own work, outside of the pool:
///
/// - `D::serve_pool(flush, admits_workspace)` takes the function that empties this device's pool, and the one that says
///   whether its limit allows the workspace that there is;
/// - `D::reclaim()` empties the pools of all devices that share the memory, and `D::trim()` gives it back to the system;
/// - `D::workspace()` is the bytes of that work, and `D::shed_workspace()` gives back those of them not in use.
template <class D>
concept SharesMemory = requires(void (*flush)() noexcept, bool (*admits_workspace)() noexcept, std::size_t& bytes) {
  D::serve_pool(flush, admits_workspace);
  D::reclaim();
  D::trim();
  D::system_memory(bytes, bytes);
  D::shed_workspace();
  bytes = D::workspace();
};

/// Bytes of the device's memory that the library has for its own work.
template <Device D>
[[nodiscard]] std::size_t workspace() noexcept {
  if constexpr (SharesMemory<D>) return D::workspace();
  else return 0;
}

/// A thread may get blocks that are not of the pool (see `Lender`): while `D::lends()`, `D::lend(bytes)` gives them,
/// with one handle.
template <class D>
concept LendsBlocks = requires(std::size_t bytes) {
  { D::lends() } noexcept -> std::same_as<bool>;
  { D::lend(bytes) } -> std::same_as<Block*>;
};

/// What a device asks of memory that another library owns, and what it does before the owner gets it back.
///
/// - `import_memory(word, data, bytes, stream)`: throws `InteropError` where the device cannot reach the bytes; work
///   of `stream` on them comes before all that is put into this thread's stream from now on;
/// - `end_import(word, stream)`: there is no handle any more; what the owner does to the bytes from now on, in `stream`
///   or, where there is none, anywhere, comes after the work that is still pending on them.
template <class D>
concept ImportsMemory = requires(std::atomic<std::uintptr_t>& word, const void* data, std::size_t bytes,
                                 ForeignStream stream) {
  D::import_memory(word, data, bytes, stream);
  { D::end_import(word, stream) } noexcept;
};

/// `D::caches()` is false when free blocks are not to be kept.
template <Device D>
[[nodiscard]] bool caches() noexcept {
  if constexpr (requires { D::caches(); }) return D::caches();
  else return true;
}

/// What the system says of the device's memory, for `OutOfMemory`.
template <Device D>
[[nodiscard]] std::string system_memory_text() {
  if constexpr (SharesMemory<D>) {
    try {
      std::size_t free = 0;
      std::size_t total = 0;
      D::system_memory(free, total);
      return "; the GPU has " + describe_bytes(free) + " free of " + describe_bytes(total);
    } catch (const Error&) {  // what is to be reported is the lack of memory
    }
  }
  return {};
}

}  // namespace situ::internal::memory
