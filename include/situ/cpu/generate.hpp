// SPDX-License-Identifier: Apache-2.0
// The kernel of host devices that writes a function of the position: `arange` and `linspace` use it.
#pragma once

#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// Writes `f(i)` to element `i` of a row-major destination. `f` is trivially copyable and depends only on `i`.
template <Element T, class F>
void generate(Backend, const F& f, const program::Destination& to) {
  T* out = static_cast<T*>(to.data);
  parallel_for(0, to.shape.count(), 16384, [&](std::int64_t begin, std::int64_t end) {
    const F local = f;  // stays in registers: a store through `out` cannot change it
    for (std::int64_t i = begin; i < end; ++i) out[i] = local(i);
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
