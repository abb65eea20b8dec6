// SPDX-License-Identifier: Apache-2.0
// What the workers of a `DataLoader` do: the batches of an epoch, each made by its number, and the order of samples.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/philox.hpp>
#include <situ/data/collate.hpp>
#include <situ/data/dataset.hpp>
#include <situ/data/prefetch.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>
#include <situ/formula/random.hpp>
#include <situ/ops/random.hpp>
#include <situ/tensor/index.hpp>

namespace situ::internal {

/// Host memory in which batches for device `D` are made.
template <Device D>
using assembly_t = std::conditional_t<HostDevice<D>, D, Pinned>;

/// One epoch's source of batches, called by the workers.
template <class Data, Device D>
struct BatchMaker {
  std::shared_ptr<const Data> data;
  std::vector<std::int64_t> order;  // empty for 0, 1, 2, ...
  std::int64_t size;                // samples visited
  std::int64_t batch_size;
  std::int64_t part, parts;  // of each batch
  RandomStream random;       // block i is the seed of sample i's generator

  /// Batch `number`, in transit to the device.
  [[nodiscard]] auto operator()(std::int64_t number, const std::atomic<bool>& stop) const {
    const std::int64_t first = number * batch_size;
    const std::int64_t rows = std::min(batch_size, size - first);
    const std::int64_t longer = rows % parts;  // the first parts have one row more
    const std::int64_t begin = first + part * (rows / parts) + std::min(part, longer);
    const std::int64_t count = rows / parts + (part < longer ? 1 : 0);
    // A part without rows is made from one row, since otherwise the shape of a sample would be unknown.
    const bool none = count == 0;
    const auto length = static_cast<std::size_t>(none ? 1 : count);
    const std::int64_t from = none ? first : begin;
    if (!order.empty()) return make({order.data() + from, length}, none, stop);
    std::vector<std::int64_t> indices(length);
    std::iota(indices.begin(), indices.end(), from);
    return make(indices, none, stop);
  }

 private:
  struct Stopped {};

  template <class Batch>
  [[nodiscard]] static auto sent_but_for_rows(Batch&& batch, bool none) {
    if (!none) return sent<D>(std::forward<Batch>(batch));
    return sent<D>(map_batch(std::forward<Batch>(batch),
                             []<class X>(X&& rows) { return std::remove_cvref_t<X>(rows(IndexRange{0, 0, 1})); }));
  }

  [[nodiscard]] auto make(std::span<const std::int64_t> indices, bool none, const std::atomic<bool>& stop) const {
    using Host = assembly_t<D>;
    if constexpr (HasBatches<Data>) {
      return sent_but_for_rows(batch_of<Host>(*data, indices), none);
    } else {
      using Sample = std::remove_cvref_t<decltype(sample_of(*data, 0, std::declval<Generator&>()))>;
      const auto count = static_cast<std::int64_t>(indices.size());
      Collation<Sample, Host> batch(count);
      for (std::int64_t i = 0; i < count; ++i) {
        if (stop.load(std::memory_order_relaxed)) throw Stopped{};  // no one will see it
        const std::int64_t index = indices[static_cast<std::size_t>(i)];
        const PhiloxWords words = random.block(static_cast<std::uint64_t>(index));
        Generator generator((static_cast<std::uint64_t>(words.word[1]) << 32) | words.word[0]);
        batch.put(i, index, sample_of(*data, index, generator));
      }
      return sent_but_for_rows(std::move(batch).batch(), none);
    }
  }
};

/// Streams of random numbers distinct from those of any `Generator(seed)`.
[[nodiscard]] inline RandomStream epoch_stream(std::uint64_t seed, std::uint64_t purpose, std::int64_t epoch) {
  const PhiloxWords words =
      philox4x32({{0x6c6f6164u, 0, 0, 0}}, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  const std::uint64_t key = (static_cast<std::uint64_t>(words.word[1]) << 32) | words.word[0];
  return {key + purpose, static_cast<std::uint64_t>(epoch)};
}

/// The Fisher-Yates shuffle of 0 to `size` - 1, the same on all machines.
[[nodiscard]] inline std::vector<std::int64_t> shuffled(std::int64_t size, RandomStream stream) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = size - 1; i > 0; --i) {
    const std::int64_t j = distribution::Integers<std::int64_t>{stream, 0, static_cast<std::uint64_t>(i) + 1}(i);
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
  }
  return order;
}

}  // namespace situ::internal
