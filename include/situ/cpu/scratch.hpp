// SPDX-License-Identifier: Apache-2.0
// Working memory of kernels: one growing buffer per thread and purpose, so that packing a matrix causes no page faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/host_workspace.hpp>
#include <situ/memory/pool.hpp>
#include <situ/memory/statistics.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

template <class Purpose>
inline constinit thread_local memory::WorkBuffer scratch_buffer{};

/// Throws `OutOfMemory`.
[[gnu::noinline, gnu::cold]] inline void grow_scratch(memory::WorkBuffer& buffer, std::size_t bytes) {
  using Growth = memory::HostWorkspace::Growth;
  using Pool = memory::Pool<Cpu>;
  const Growth growth = memory::HostWorkspace::grow(buffer, bytes, &Pool::admits_workspace);
  if (growth == Growth::done) return;
  if (growth == Growth::limit) {
    memory::throw_out_of_memory("cpu", bytes, Pool::stats(), "the limit would be exceeded by working memory",
                                "release tensors that are no longer needed, raise the limit with set_memory_limit, or "
                                "split the operation into smaller ones");
  }
  memory::throw_out_of_memory("cpu", bytes, Pool::stats(), "the system has no more working memory",
                              "release tensors that are no longer needed, or split the operation into smaller ones");
}

}  // namespace detail

/// Uninitialized memory for `count` elements of T, 64-byte aligned, valid until this thread asks again for the same
/// purpose (named by any type), or its next kernel begins. A kernel that holds it allocates no tensor: that would
/// release it if memory is short. Throws `OutOfMemory`.
template <class Purpose, class T>
[[nodiscard]] T* scratch(std::int64_t count) {
  memory::WorkBuffer& buffer = detail::scratch_buffer<Purpose>;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (buffer.bytes < bytes) [[unlikely]]
    detail::grow_scratch(buffer, bytes);
  buffer.kernel = memory::kernels_begun;
  return static_cast<T*>(buffer.data);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
