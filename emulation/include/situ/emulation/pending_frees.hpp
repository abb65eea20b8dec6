// SPDX-License-Identifier: Apache-2.0
// Memory that is handed out before its free has run. A stream may reuse at once the memory that it has freed itself,
// since its next use comes later. Memory freed by another stream it may reuse if the pool's attribute
// `cudaMemPoolReuseAllowInternalDependencies` allows it, CUDA's default: then it waits for that stream. The program did
// not request that wait and cannot see it: copies wait for kernels. `pool_create` forbids it; a test may allow it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include <situ/emulation/control.hpp>

namespace situ::internal::cuda::emulated {

/// Sets whether a pool may make one stream wait for another. It then does so whenever it can, while CUDA may prefer
/// fresh memory.
inline void set_internal_dependencies(Pool* pool, bool allowed) {
  const std::lock_guard guard(machine().lock);
  pool->internal_dependencies = allowed;
}

namespace detail {

/// Treats memory whose free by a stream has been called but not run as free; false if there is none.
inline bool pass_on(Machine& here, Pool& pool, Stream& from, Stream& to) {
  for (const auto& operation : from.operations) {
    if (operation->done == nullptr) continue;  // not a free
    DeviceMemory::Allocation* const freed = pool.memory.starting_at(operation->claim.start);
    if (freed == nullptr || freed->passed_on) continue;
    freed->passed_on = true;
    pool.used -= DeviceMemory::round_up(freed->bytes);
    if (&from != &to) {
      auto wait = make_operation("internal dependency", [] {});
      wait->waits_for = operation->done;
      wait->bookkeeping = true;
      here.enqueue(to, std::move(wait));
    }
    return true;
  }
  return false;
}

/// The same for any stream that `to` may wait for.
inline bool pass_on(Machine& here, Pool& pool, Stream& to) {
  if (!pool.internal_dependencies) return false;
  for (Stream* const from : here.streams) {
    if (from != &to && from->device == to.device && pass_on(here, pool, *from, to)) return true;
  }
  return false;
}

}  // namespace detail

}  // namespace situ::internal::cuda::emulated
