// SPDX-License-Identifier: Apache-2.0
// Memory that is handed out before it is free. A stream may have at once what it has given back itself: what it does
// with it comes later. What another stream has given back it may have where the pool's attribute
// `cudaMemPoolReuseAllowInternalDependencies` allows it, which CUDA's default does: then it waits for that stream.
// Nobody has asked for that wait, and nothing shows it: copies wait for kernels. `pool_create` forbids it; a test may
// allow it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include <situ/emulation/control.hpp>

namespace situ::internal::cuda::emulated {

/// Whether a pool may make one stream wait for another. It then does so whenever it can, while CUDA may rather take
/// fresh memory.
inline void set_internal_dependencies(Pool* pool, bool allowed) {
  const std::lock_guard guard(machine().lock);
  pool->internal_dependencies = allowed;
}

namespace detail {

/// Counts what a stream has given back to the pool, and what has not had its turn, as free; false when there is
/// nothing.
inline bool pass_on(Machine& here, Pool& pool, Stream& from, Stream& to) {
  for (const auto& operation : from.operations) {
    if (operation->done == nullptr) continue;  // it frees nothing
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

/// The same of any stream that `to` may wait for.
inline bool pass_on(Machine& here, Pool& pool, Stream& to) {
  if (!pool.internal_dependencies) return false;
  for (Stream* const from : here.streams) {
    if (from != &to && from->device == to.device && pass_on(here, pool, *from, to)) return true;
  }
  return false;
}

}  // namespace detail

}  // namespace situ::internal::cuda::emulated
