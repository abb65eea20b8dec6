// SPDX-License-Identifier: Apache-2.0
// The kernel of host devices that finds elements by their rank along an axis, without sorting: `kthvalue`, `median`,
// `quantile`. Digit by digit of their keys (plan/sort_key.hpp), the elements that can be the one sought are kept, which
// takes a time proportional to their number whatever their values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/cpu/sort.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/sort_key.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Fewer keys are partitioned by comparisons: counting them by digits would take longer.
inline constexpr std::int64_t fewest_digits = 256;

/// A key, and how many equal ones are before that of its rank.
template <class Key>
struct RankedKey {
  Key key;
  std::int64_t equal_before;
};

/// The key of rank `rank` among `count`, which are overwritten.
template <class Key>
[[nodiscard]] RankedKey<Key> key_of_rank(Key* keys, std::int64_t count, std::int64_t rank) {
  for (int shift = std::numeric_limits<Key>::digits - 8; shift >= 0 && count >= fewest_digits; shift -= 8) {
    std::array<std::int64_t, 256> even{}, odd{};  // two tables: equal digits in a row would wait for one another
    const auto digit = [=](Key key) { return static_cast<std::size_t>((key >> shift) & 0xff); };
    std::int64_t i = 0;
    for (; i + 2 <= count; i += 2) {
      ++even[digit(keys[i])];
      ++odd[digit(keys[i + 1])];
    }
    if (i < count) ++even[digit(keys[i])];
    std::size_t wanted = 0;
    for (std::int64_t some = 0; rank >= (some = even[wanted] + odd[wanted]); ++wanted) rank -= some;
    if (even[wanted] + odd[wanted] == count) continue;
    std::int64_t kept = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      const Key key = keys[j];
      keys[kept] = key;
      kept += digit(key) == wanted ? 1 : 0;
    }
    count = kept;
  }
  std::nth_element(keys, keys + rank, keys + count);
  return {keys[rank], std::count(keys, keys + rank, keys[rank])};
}

/// The keys of a line.
template <class T, class Key>
void encode_line(const T* line, std::int64_t step, std::int64_t count, Key* keys) {
  if (step == 1) {
    for (std::int64_t i = 0; i < count; ++i) keys[i] = SortKey<T>::encode(line[i], false);
  } else {
    for (std::int64_t i = 0; i < count; ++i) keys[i] = SortKey<T>::encode(line[i * step], false);
  }
}

/// The position of the key that has `before` equal ones before it.
template <class Key>
[[nodiscard]] std::int64_t position_of_key(const Key* keys, Key wanted, std::int64_t before) {
  std::int64_t i = 0;
  while (keys[i] != wanted || before-- > 0) ++i;
  return i;
}

/// The positions of the key behind `ranked`, which is not the last, and of the last one.
template <class Key>
[[nodiscard]] std::array<std::int64_t, 2> next_and_last(const Key* keys, std::int64_t count, RankedKey<Key> ranked) {
  std::int64_t equal = 0;
  Key above = std::numeric_limits<Key>::max(), largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Key key = keys[i];
    equal += key == ranked.key ? 1 : 0;
    above = std::min(above, key > ranked.key ? key : std::numeric_limits<Key>::max());
    largest = std::max(largest, key);
  }
  const bool again = ranked.equal_before + 1 < equal;
  std::int64_t last = count - 1;
  while (keys[last] != largest) --last;
  return {again ? position_of_key(keys, ranked.key, ranked.equal_before + 1) : position_of_key(keys, above, 0), last};
}

struct StatisticsScratch;

}  // namespace detail

/// Writes, for every line of `x` of `count` elements along `axis`, the position of the element of rank `rank` in ascending
/// order, counted from 0: as in a stable sort with NaN last. If `positions` has three places along the axis, also the
/// positions of the next one (the same if it is the last) and of the last one. `x` has strides for the shape of
/// `positions`, with `count` along the axis.
template <Element T>
void order_statistics(Backend, const program::Operand& x, std::int64_t count, int axis, std::int64_t rank,
                      const program::Destination& positions) {
  using Key = typename SortKey<T>::type;
  const auto a = static_cast<std::size_t>(axis);
  const bool three = positions.shape[axis] == 3;
  const std::int64_t step = x.strides[a], to_step = positions.strides[a];
  Shape shape = positions.shape;
  shape.set(axis, count);
  detail::for_each_line(shape, axis, x.strides, positions.strides, [&](std::int64_t from, std::int64_t to) {
    const T* const line = static_cast<const T*>(x.data) + from;
    std::int64_t* const out = static_cast<std::int64_t*>(positions.data) + to;
    Key* const keys = scratch<detail::StatisticsScratch, Key>(2 * count);  // to keep, and to select from
    detail::encode_line(line, step, count, keys);
    std::copy_n(keys, count, keys + count);
    const detail::RankedKey<Key> ranked = detail::key_of_rank(keys + count, count, rank);
    out[0] = detail::position_of_key(keys, ranked.key, ranked.equal_before);
    if (!three) return;
    if (rank + 1 == count) {
      out[to_step] = out[2 * to_step] = out[0];
      return;
    }
    const auto [next, last] = detail::next_and_last(static_cast<const Key*>(keys), count, ranked);
    out[to_step] = next;
    out[2 * to_step] = last;
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
