// SPDX-License-Identifier: Apache-2.0
// Hooks by which a pool calls a device whose work is queued, so that a block may be freed and reused while work on it
// is still pending. For a device without these members, such as `Cpu`, they cost nothing.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/foreign_stream.hpp>
#include <situ/device/device.hpp>
#include <situ/memory/block.hpp>
#include <situ/memory/statistics.hpp>

namespace situ::internal::memory {

/// Optional members of a device. `word` belongs to the block and is free for the device to use; 0 in a new block.
///
/// - `acquired(word, data, bytes, capacity)`: the block is handed out; may wait, may throw;
/// - `released(word, data, capacity)`: its last handle is gone;
/// - `deallocate(pointer, bytes, word)`: returns it to the device, instead of `deallocate(pointer, bytes)`;
/// - `wanted()`: which free block a pool hands out. The pool looks at no more than `wanted().look_at` blocks, newest
///   first, and takes the first whose word `fits(word)`, since it needs no waiting. If none fits, it takes a fresh one
///   if it has looked at fewer than `wanted().enough`; else the newest if `enough` is 1, and otherwise the last one it
///   has looked at.
template <class D>
concept TracksBlocks = requires(std::atomic<std::uintptr_t>& word, void* data, std::size_t bytes) {
  D::acquired(word, data, bytes, bytes);
  { D::released(word, data, bytes) } noexcept;
  { D::deallocate(data, bytes, word) } noexcept;
  { D::wanted().fits(word) } -> std::same_as<bool>;
};

/// A device that tracks pending work for which a write by the host must wait, with `D::idle(word)`.
template <class D>
concept TellsIdle = requires(std::atomic<std::uintptr_t>& word) {
  { D::idle(word) } -> std::same_as<bool>;
};

/// Several devices may share one physical memory, part of which the library also uses as workspace outside the pool:
///
/// - `D::serve_pool(flush, admits_workspace)` takes the function that empties this device's pool, and the one that
///   returns whether its limit allows the present workspace;
/// - `D::reclaim()` empties the pools of all devices that share the memory, and `D::trim()` returns it to the system;
/// - `D::workspace()` returns the bytes of that workspace, and `D::shed_workspace()` frees those not in use.
template <class D>
concept SharesMemory = requires(void (*flush)() noexcept, bool (*admits_workspace)() noexcept, std::size_t& bytes) {
  D::serve_pool(flush, admits_workspace);
  D::reclaim();
  D::trim();
  D::system_memory(bytes, bytes);
  D::shed_workspace();
  bytes = D::workspace();
};

/// A device whose kernels use workspace outside the pool: `D::workspace()` returns its bytes, and `D::shed_workspace()`
/// frees those not in use.
template <class D>
concept HasWorkspace = requires(std::size_t& bytes) {
  D::shed_workspace();
  bytes = D::workspace();
};

/// Bytes of the device's memory that the library uses as workspace.
template <Device D>
[[nodiscard]] std::size_t workspace() noexcept {
  if constexpr (HasWorkspace<D>) return D::workspace();
  else return 0;
}

/// A thread may get blocks from outside the pool (see `Lender`): while `D::lends()`, `D::lend(bytes)` returns them,
/// with one handle.
template <class D>
concept LendsBlocks = requires(std::size_t bytes) {
  { D::lends() } noexcept -> std::same_as<bool>;
  { D::lend(bytes) } -> std::same_as<Block*>;
};

/// Hooks for memory that another library owns: before its first use, and before the owner gets it back.
///
/// - `import_memory(word, data, bytes, stream)`: throws `InteropError` if the device cannot access the bytes. Work of
///   `stream` on them comes before all work put into this thread's stream from now on;
/// - `end_import(word, stream)`: the last handle is gone. What the owner does to the bytes from now on, in `stream` or,
///   without one, anywhere, comes after the work that is still pending on them.
template <class D>
concept ImportsMemory =
    requires(std::atomic<std::uintptr_t>& word, const void* data, std::size_t bytes, ForeignStream stream) {
      D::import_memory(word, data, bytes, stream);
      { D::end_import(word, stream) } noexcept;
    };

/// `D::caches()` is false if free blocks must not be kept.
template <Device D>
[[nodiscard]] bool caches() noexcept {
  if constexpr (requires { D::caches(); }) return D::caches();
  else return true;
}

/// What the system reports about the device's memory, for `OutOfMemory`.
template <Device D>
[[nodiscard]] std::string system_memory_text() {
  if constexpr (SharesMemory<D>) {
    try {
      std::size_t free = 0;
      std::size_t total = 0;
      D::system_memory(free, total);
      return "; the GPU has " + describe_bytes(free) + " free of " + describe_bytes(total);
    } catch (const Error&) {  // report the lack of memory instead
    }
  }
  return {};
}

}  // namespace situ::internal::memory
