// SPDX-License-Identifier: Apache-2.0
// The kernel of host devices that writes the elements of a random distribution, on all threads.
#pragma once

#include <cstdint>

#include <situ/cpu/random.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// Writes `distribution(i)` to element `i` of a row-major destination.
template <class Distribution>
void sample(Backend, const Distribution& distribution, const program::Destination& to) {
  auto* out = static_cast<typename Distribution::value_type*>(to.data);
  // A range starts at a multiple of the elements that `fill_random` computes at a time, so that none is computed twice.
  parallel_for(
      0, to.shape.count(), 8192,
      [&](std::int64_t begin, std::int64_t end) { fill_random(distribution, out + begin, begin, end - begin); },
      4 * detail::tile_blocks);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
