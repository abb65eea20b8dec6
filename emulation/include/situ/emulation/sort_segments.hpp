// SPDX-License-Identifier: Apache-2.0
// `sort_segments` of the emulation: a sort on the host as a stream operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/kernels/sort/segments.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream.hpp>

#if defined(SITU_CUDA) && defined(SITU_CUDA_EMULATED)

namespace situ::internal::cuda {

namespace detail {

/// As after a radix sort of one byte a pass.
[[nodiscard]] inline bool ends_in_spare(const SegmentedSort& segments) {
  return (segments.end_bit - segments.first_bit + 7) / 8 % 2 == 1;
}

template <class Key, class Place>
void sort_on_host(const SegmentedSort& segments) {
  const int bits = segments.end_bit - segments.first_bit;
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto compared = [&](Key key) { return (static_cast<std::uint64_t>(key) >> segments.first_bit) & mask; };
  // Each item includes its position, which makes std::sort stable. (clang warns about code in libstdc++'s
  // std::stable_sort.)
  struct Item {
    Key key;
    Place place;
    std::size_t at;
  };
  std::vector<Item> items(static_cast<std::size_t>(segments.count));
  for (std::int64_t row = 0; row < segments.rows; ++row) {
    Key* keys = static_cast<Key*>(segments.keys) + row * segments.count;
    Place* places = segments.place_bytes == 0 ? nullptr : static_cast<Place*>(segments.places) + row * segments.count;
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = {keys[i], places == nullptr ? Place{} : places[i], i};
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      return std::pair(compared(a.key), a.at) < std::pair(compared(b.key), b.at);
    });
    if (ends_in_spare(segments)) {
      keys = static_cast<Key*>(segments.spare_keys) + row * segments.count;
      if (places != nullptr) places = static_cast<Place*>(segments.spare_places) + row * segments.count;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      keys[i] = items[i].key;
      if (places != nullptr) places[i] = items[i].place;
    }
  }
}

}  // namespace detail

inline SortedSegments sort_segments(const Backend& backend, const SegmentedSort& segments) {
  const auto run = [segments] {
    if (segments.place_bytes == 8) detail::sort_on_host<std::uint64_t, std::uint64_t>(segments);
    else if (segments.place_bytes == 4) detail::sort_on_host<std::uint64_t, std::uint32_t>(segments);
    else if (segments.key_bytes == 8) detail::sort_on_host<std::uint64_t, std::uint8_t>(segments);
    else if (segments.key_bytes == 4) detail::sort_on_host<std::uint32_t, std::uint8_t>(segments);
    else detail::sort_on_host<std::uint8_t, std::uint8_t>(segments);
  };
  const ObservedWork work(*backend.stream, "radix sort");
  check(emulated::enqueue(stream_of(backend), "sort", run), "sort", backend.ordinal);
  if (detail::ends_in_spare(segments)) return {segments.spare_keys, segments.spare_places};
  return {segments.keys, segments.places};
}

}  // namespace situ::internal::cuda

#endif
