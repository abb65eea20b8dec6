// SPDX-License-Identifier: Apache-2.0
// Sorting on GPUs, compiled once: the kernels around the keys for every element type, and CUB's radix sort between
// them. The only file that includes CUB.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/kernels/sort/segments.hpp>
#include <situ/cuda/kernels/sort/sort.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/cuda/runtime/stream.hpp>

namespace situ::internal::cuda {

namespace {

/// Where segments of one length begin: as much of an iterator as CUB reads.
struct SegmentStarts {
  using value_type = int;
  int first;
  int count;
  __host__ __device__ int operator[](int row) const { return first + row * count; }
};

/// Calls `sort(temporary, bytes)` as CUB wants it: for the size of the temporary memory, and then with it.
template <class Sort>
void with_temporary(const Backend& backend, const SegmentedSort& segments, Sort&& sort) {
  const auto run = [&](void* temporary, std::size_t& bytes) {
    check(sort(temporary, bytes), "sort", backend.ordinal, segments.rows, " lines of ", segments.count, " elements");
  };
  std::size_t bytes = 0;
  run(nullptr, bytes);
  const Scratch temporary(backend, bytes);
  run(temporary.data(), bytes);
}

/// Rows one after another, each by all multiprocessors.
template <class Key, class Place>
int sort_row(const Backend& backend, const SegmentedSort& segments, cub::DoubleBuffer<Key> keys,
             cub::DoubleBuffer<Place> places) {
  with_temporary(backend, segments, [&](void* temporary, std::size_t& bytes) {
    if constexpr (std::is_same_v<Place, cub::NullType>) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, segments.count, segments.first_bit,
                                            segments.end_bit, stream_of(backend));
    } else {
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, places, segments.count, segments.first_bit,
                                             segments.end_bit, stream_of(backend));
    }
  });
  return keys.selector;
}

/// `rows` rows at a time, each by one block of threads; of at most 2^31 - 1 elements together.
template <class Key, class Place>
int sort_rows(const Backend& backend, const SegmentedSort& segments, int rows, cub::DoubleBuffer<Key> keys,
              cub::DoubleBuffer<Place> places) {
  const auto count = static_cast<int>(segments.count);
  const SegmentStarts begins{0, count};
  const SegmentStarts ends{count, count};
  with_temporary(backend, segments, [&](void* temporary, std::size_t& bytes) {
    if constexpr (std::is_same_v<Place, cub::NullType>) {
      return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, keys, rows * count, rows, begins, ends,
                                                     segments.first_bit, segments.end_bit, stream_of(backend));
    } else {
      return cub::DeviceSegmentedRadixSort::SortPairs(temporary, bytes, keys, places, rows * count, rows, begins, ends,
                                                      segments.first_bit, segments.end_bit, stream_of(backend));
    }
  });
  return keys.selector;
}

/// Whether rows are sorted one after another rather than each by one block. Two estimates, of microseconds, which wait
/// for a measurement: a sort by all multiprocessors costs its launches and is limited by memory; a block moves about a
/// hundred elements a microsecond, and each multiprocessor has two of them.
bool one_by_one(const Backend& backend, const SegmentedSort& segments) {
  if (segments.rows == 1 || segments.count > std::numeric_limits<std::int32_t>::max()) return true;
  const auto rows = static_cast<double>(segments.rows);
  const auto count = static_cast<double>(segments.count);
  const double rounds = std::max(1.0, rows / (2 * multiprocessors(backend)));
  return rows * (50 + count / 20000) < rounds * count / 100;
}

template <class Key, class Place>
SortedSegments sort_all(const Backend& backend, const SegmentedSort& segments) {
  constexpr bool has_places = !std::is_same_v<Place, cub::NullType>;
  const DeviceGuard guard(backend.stream->device->physical, backend.ordinal);  // CUB asks the current device
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const bool singly = one_by_one(backend, segments);
  const std::int64_t group = singly ? 1 : std::max<std::int64_t>(1, most / segments.count);
  int selector = 0;
  for (std::int64_t row = 0; row < segments.rows; row += group) {
    const std::int64_t first = row * segments.count;
    cub::DoubleBuffer<Key> keys(static_cast<Key*>(segments.keys) + first,
                                static_cast<Key*>(segments.spare_keys) + first);
    cub::DoubleBuffer<Place> places;
    if constexpr (has_places) {
      places = {static_cast<Place*>(segments.places) + first, static_cast<Place*>(segments.spare_places) + first};
    }
    const auto rows = static_cast<int>(std::min(group, segments.rows - row));
    const int written =
        singly ? sort_row(backend, segments, keys, places) : sort_rows(backend, segments, rows, keys, places);
    SITU_ASSERT(row == 0 || written == selector);  // the passes depend on the bits and the length of a row
    selector = written;
  }
  return {selector == 0 ? segments.keys : segments.spare_keys, selector == 0 ? segments.places : segments.spare_places};
}

}  // namespace

SortedSegments sort_segments(const Backend& backend, const SegmentedSort& segments) {
  const ObservedWork work(*backend.stream, "radix sort");
  if (segments.place_bytes == 8) return sort_all<std::uint64_t, std::uint64_t>(backend, segments);
  if (segments.place_bytes == 4) return sort_all<std::uint64_t, std::uint32_t>(backend, segments);
  if (segments.key_bytes == 8) return sort_all<std::uint64_t, cub::NullType>(backend, segments);
  if (segments.key_bytes == 4) return sort_all<std::uint32_t, cub::NullType>(backend, segments);
  return sort_all<std::uint8_t, cub::NullType>(backend, segments);
}

namespace detail {
template void sort_lines(const Backend&, const SortedLines<bool>&);
template void sort_lines(const Backend&, const SortedLines<std::uint8_t>&);
template void sort_lines(const Backend&, const SortedLines<std::int32_t>&);
template void sort_lines(const Backend&, const SortedLines<std::int64_t>&);
template void sort_lines(const Backend&, const SortedLines<float16>&);
template void sort_lines(const Backend&, const SortedLines<bfloat16>&);
template void sort_lines(const Backend&, const SortedLines<float>&);
template void sort_lines(const Backend&, const SortedLines<double>&);
}  // namespace detail

}  // namespace situ::internal::cuda
