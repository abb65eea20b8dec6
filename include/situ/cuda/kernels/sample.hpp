// SPDX-License-Identifier: Apache-2.0
// The kernel of the CUDA backend that writes the elements of a random distribution: the same bits as on the CPU.
#pragma once

#include <situ/core/philox.hpp>
#include <situ/cuda/kernels/program_source.hpp>
#include <situ/cuda/runtime/call_counts.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/formula/random.hpp>
#include <situ/plan/program.hpp>

#if defined(SITU_CUDA)

#include <cstdint>

namespace situ::internal::cuda {

namespace detail {

/// The keys of all rounds, computed on the host.
struct RoundKeys {
  PhiloxKey round[PhiloxConstants::rounds];

  explicit RoundKeys(PhiloxKey key) {
    for (PhiloxKey& one : round) {
      one = key;
      key = key.next();
    }
  }
};

/// A thread computes 16 or 32 bytes of elements, all those of one or more blocks of Philox.
template <class Distribution>
struct Sample {
  static constexpr int threads = 256;
  static constexpr const char* name = "sample";
  using T = typename Distribution::value_type;
  static constexpr int per_block = 4 / Distribution::words;
  static constexpr int narrow = 16 / static_cast<int>(sizeof(T));
  static constexpr int width = narrow < per_block ? per_block : narrow;
  static constexpr int tile = threads * width;
  static_assert(width % per_block == 0);

  Distribution distribution;
  RoundKeys keys;
  T* out;
  std::int64_t count;
  bool aligned;

  SITU_DEVICE void operator()() const {
    const std::int64_t vector = kernel::block() * threads + kernel::thread();
    const std::int64_t first = vector * width;
    if (first >= count) return;
    kernel::Vector<T, width> result;
    const RandomStream stream = distribution.stream.now();
    unrolled<width / per_block>([&](int b) {
      PhiloxWords block = stream.counter(static_cast<std::uint64_t>(vector * (width / per_block) + b));
      unrolled<PhiloxConstants::rounds>([&](int round) { block = philox_round(block, keys.round[round]); });
      unrolled<per_block>(
          [&](int place) { result.element[b * per_block + place] = distribution.element(block, place); });
    });
    if (aligned && count - first >= width) {
      *reinterpret_cast<kernel::Vector<T, width>*>(out + first) = result;
    } else {
      unrolled<width>([&](int e) {
        if (first + e < count) out[first + e] = result.element[e];
      });
    }
  }
};

}  // namespace detail

/// Writes `distribution(i)` to element `i` of a destination in row-major order without gaps.
template <class Distribution>
void sample(const Backend& backend, const Distribution& distribution, const program::Destination& to) {
  using Kernel = detail::Sample<Distribution>;
  using T = typename Distribution::value_type;
  require_drawn_here(backend, distribution.stream);
  const std::int64_t count = to.shape.count();
  const bool aligned = is_aligned_for(to.data, static_cast<int>(sizeof(T)), Kernel::width);
  launch(backend, {(count + Kernel::tile - 1) / Kernel::tile, 1},
         Kernel{distribution, detail::RoundKeys(distribution.stream.key()), static_cast<T*>(to.data), count, aligned});
}

}  // namespace situ::internal::cuda

#endif
