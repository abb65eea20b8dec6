// SPDX-License-Identifier: Apache-2.0
// The kernels of the CUDA backend that count and list the `true` of a mask, and select the elements there.
#pragma once

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/gather_index.hpp>
#include <situ/cuda/kernels/scan_operators.hpp>
#include <situ/plan/mask.hpp>

#if defined(SITU_CUDA)

#include <concepts>
#include <cstdint>

#include <situ/cuda/runtime/launch.hpp>

namespace situ::internal::cuda {

namespace detail {

/// A block of threads for each block of the mask; every thread has `items` adjacent values.
struct MaskBlock {
  static constexpr int threads = 256;
  static constexpr int items = static_cast<int>(program::mask_block) / threads;

  const bool* mask;
  std::int64_t count;

  [[nodiscard]] SITU_DEVICE std::int64_t first() const {
    return kernel::block() * program::mask_block + kernel::thread() * items;
  }
  [[nodiscard]] SITU_DEVICE bool is_true(std::int64_t i) const { return i < count && mask[i]; }
  /// The number of true values before this thread's in the block, and in the whole block.
  [[nodiscard]] SITU_DEVICE Prefix<std::int64_t> counted() const {
    std::int64_t own = 0;
    for (int k = 0; k < items; ++k) own += is_true(first() + k) ? 1 : 0;
    return scan_block<scans::Sum<std::int64_t>, threads>(own);
  }
  /// `put(at, i)` for each of the thread's true values: `i` is its position, and `at` how many are before it, below
  /// `room`. `ends` is that of `program::TruePositions`.
  template <class Put>
  SITU_DEVICE void for_each_true(const std::int64_t* ends, std::int64_t room, const Put& put) const {
    std::int64_t at = counted().before + (kernel::block() == 0 ? 0 : ends[kernel::block() - 1]);
    for (int k = 0; k < items; ++k) {
      const std::int64_t i = first() + k;
      if (!is_true(i)) continue;
      if (at < room) put(at, i);
      ++at;
    }
  }
};

struct CountTrue {
  static constexpr int threads = MaskBlock::threads;
  static constexpr const char* name = "mask: count";
  MaskBlock block;
  std::int64_t* counts;

  SITU_DEVICE void operator()() const {
    const Prefix<std::int64_t> prefix = block.counted();
    if (kernel::thread() == 0) counts[kernel::block()] = prefix.all;
  }
};

struct ListTrue {
  static constexpr int threads = MaskBlock::threads;
  static constexpr const char* name = "mask: positions";
  MaskBlock block;
  program::TruePositions list;

  SITU_DEVICE void operator()() const {
    block.for_each_true(list.ends, list.room, [&](std::int64_t at, std::int64_t i) { list.positions[at] = i; });
  }
};

template <class U>
struct SelectTrue {
  static constexpr int threads = MaskBlock::threads;
  static constexpr const char* name = "mask: elements";
  MaskBlock block;
  const std::int64_t* ends;
  const U* from;
  std::int64_t step;
  U* to;
  std::int64_t room;

  SITU_DEVICE void operator()() const {
    block.for_each_true(ends, room, [&](std::int64_t at, std::int64_t i) { to[at] = from[i * step]; });
  }
};

}  // namespace detail

// Templates on a backend that is always the same: a function that launches a kernel must not be compiled until it is
// called, since files compiled by the host compiler, which have no kernels, include this header too.

/// Counts the true ones of `count` values, block by block; see the CPU's.
template <std::same_as<Backend> B>
void count_true(const B& backend, const bool* mask, std::int64_t count, std::int64_t* counts) {
  launch(backend, Grid{program::mask_blocks(count)}, detail::CountTrue{{mask, count}, counts});
}

/// Lists their positions.
template <std::same_as<Backend> B>
void list_true(const B& backend, const program::TruePositions& list) {
  launch(backend, Grid{program::mask_blocks(list.count)}, detail::ListTrue{{list.mask, list.count}, list});
}

/// The elements there.
template <Element T, std::same_as<Backend> B>
void select_true(const B& backend, const program::TrueElements& selection) {
  using U = detail::Unit<sizeof(T)>;
  launch(backend, Grid{program::mask_blocks(selection.count)},
         detail::SelectTrue<U>{{selection.mask, selection.count},
                               selection.ends,
                               static_cast<const U*>(selection.from),
                               selection.step,
                               static_cast<U*>(selection.to),
                               selection.room});
}

}  // namespace situ::internal::cuda

#endif
