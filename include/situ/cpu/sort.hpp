// SPDX-License-Identifier: Apache-2.0
// The kernels of host devices that sort elements along an axis: sort, argsort, topk. Rows are sorted by integer keys
// (plan/sort_key.hpp), long ones by a radix sort, and divided among the threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>
#include <situ/plan/sort_key.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// A key and its original position; ordered by the key, then by the position, so that any sort of them is stable.
template <class Key, class Place>
struct KeyAt {
  Key key;
  Place place;
  friend bool operator<(const KeyAt& a, const KeyAt& b) noexcept {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
  }
};

template <class Key>
[[nodiscard]] Key key_of(Key item) noexcept {
  return item;
}
template <class Key, class Place>
[[nodiscard]] Key key_of(const KeyAt<Key, Place>& item) noexcept {
  return item.key;
}

/// Sorts by key, keeping the order of equal keys: counts the values of one byte after the other, the lowest first, and
/// moves every item to its place. `spare` has space for as many items; returns the one of the two that has the result.
template <class Item>
[[nodiscard]] Item* radix_sort(Item* items, Item* spare, std::int64_t count) {
  using Key = decltype(key_of(*items));
  constexpr std::size_t bytes = sizeof(Key);
  std::array<std::array<std::int64_t, 256>, bytes> counts{};
  for (std::int64_t i = 0; i < count; ++i) {
    const Key key = key_of(items[i]);
    for (std::size_t byte = 0; byte < bytes; ++byte) ++counts[byte][(key >> (8 * byte)) & 0xff];
  }
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    std::array<std::int64_t, 256>& next = counts[byte];
    if (next[(key_of(items[0]) >> (8 * byte)) & 0xff] == count) continue;  // all equal: nothing moves
    std::int64_t sum = 0;
    for (std::int64_t& start : next) start = std::exchange(sum, sum + start);
    for (std::int64_t i = 0; i < count; ++i) spare[next[(key_of(items[i]) >> (8 * byte)) & 0xff]++] = items[i];
    std::swap(items, spare);
  }
  return items;
}

/// With fewer items for each byte of the key, comparing is faster than counting: the counters alone have 256 entries
/// per byte.
inline constexpr std::int64_t shortest_radix = 16;

/// Sorts items, in `items` or in `spare`. Items with a position start in its order, so that both ways are stable.
template <class Item>
[[nodiscard]] Item* sort_items(Item* items, Item* spare, std::int64_t count) {
  if (count >= shortest_radix * static_cast<std::int64_t>(sizeof(key_of(*items))))
    return radix_sort(items, spare, count);
  std::sort(items, items + count);
  return items;
}

/// Calls `f(first, second)` with the offsets of every line along `axis` in two operands, on all threads.
template <class F>
void for_each_line(const Shape& shape, int axis, const Strides& first, const Strides& second, F&& f) {
  const Shape lines = without_axis(shape, axis);
  const program::Axes<2> axes({without_axis(first, axis, lines), without_axis(second, axis, lines)}, lines);
  const int last = axes.rank() - 1;
  const std::int64_t grain = std::max<std::int64_t>(1, 2048 / std::max<std::int64_t>(1, shape[axis]));
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    axes.for_each_run(begin, end, [&](const auto& offsets, auto, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) {
        f(offsets[0] + i * axes.stride(last, 0), offsets[1] + i * axes.stride(last, 1));
      }
    });
  };
  parallel_for(0, lines.count(), grain, range, 1);
}

struct SortScratch;

/// The sorted items of one line: `count` elements `step` apart.
template <class T, class Place>
[[nodiscard]] auto sorted_places(const T* line, std::int64_t step, std::int64_t count, bool descending) {
  using Item = KeyAt<typename SortKey<T>::type, Place>;
  Item* items = scratch<SortScratch, Item>(2 * count);
  for (std::int64_t i = 0; i < count; ++i) {
    items[i] = {SortKey<T>::encode(line[i * step], descending), static_cast<Place>(i)};
  }
  return sort_items(items, items + count, count);
}

/// Calls `f` with 0 of the narrowest type that counts the positions of a line: usually half the memory of 64 bits.
template <class F>
void with_place(std::int64_t count, F&& f) {
  if (count <= std::numeric_limits<std::int32_t>::max()) f(std::int32_t{});
  else f(std::int64_t{});
}

}  // namespace detail

/// Writes the elements of every line of `x` along `axis` in ascending or descending order; equal elements keep their
/// order, and NaN always comes last. `x` has strides for the shape of `out`; no line of it overlaps another's in `out`.
template <Element T>
void sort(Backend, const program::Operand& x, int axis, bool descending, const program::Destination& out) {
  using Keys = SortKey<T>;
  using Key = typename Keys::type;
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t count = out.shape[axis];
  const std::int64_t from_step = x.strides[a];
  const std::int64_t to_step = out.strides[a];
  detail::for_each_line(out.shape, axis, x.strides, out.strides, [&](std::int64_t from_offset, std::int64_t to_offset) {
    const T* from = static_cast<const T*>(x.data) + from_offset;
    T* to = static_cast<T*>(out.data) + to_offset;
    Key* keys = scratch<detail::SortScratch, Key>(2 * count);
    std::int64_t ambiguous = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      keys[i] = Keys::encode(from[i * from_step], descending);
      ambiguous += Keys::is_ambiguous(from[i * from_step]) ? 1 : 0;
    }
    const Key* sorted = detail::sort_items(keys, keys + count, count);
    for (std::int64_t i = 0; i < count; ++i) to[i * to_step] = Keys::decode(sorted[i], descending);
    if (ambiguous == 0) return;
    // Zeros with their signs, and NaN with their payloads, are restored in their original order.
    const Key zero = Keys::encode(T{}, descending);
    std::int64_t next_zero = std::lower_bound(sorted, sorted + count, zero) - sorted;
    std::int64_t next_nan = std::lower_bound(sorted, sorted + count, Keys::all) - sorted;
    for (std::int64_t i = 0; i < count; ++i) {
      const T element = from[i * from_step];
      if (!Keys::is_ambiguous(element)) continue;
      to[(Keys::encode(element, descending) == zero ? next_zero : next_nan)++ * to_step] = element;
    }
  });
}

/// Writes the original positions of the elements of `sort` along the axis.
template <Element T>
void argsort(Backend, const program::Operand& x, int axis, bool descending, const program::Destination& out) {
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t count = out.shape[axis];
  detail::for_each_line(out.shape, axis, x.strides, out.strides, [&](std::int64_t from, std::int64_t to) {
    detail::with_place(count, [&]<class Place>(Place) {
      const auto* sorted =
          detail::sorted_places<T, Place>(static_cast<const T*>(x.data) + from, x.strides[a], count, descending);
      std::int64_t* target = static_cast<std::int64_t*>(out.data) + to;
      for (std::int64_t i = 0; i < count; ++i) target[i * out.strides[a]] = sorted[i].place;
    });
  });
}

/// Writes the first `k` of the `count` elements of every line in order, and their positions. `values` and `indices`
/// have the same shape, with `k` positions along `axis`, and the same strides.
template <Element T>
void topk(Backend, const program::Operand& x, std::int64_t count, int axis, bool descending,
          const program::Destination& values, const program::Destination& indices) {
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t k = values.shape[axis];
  Shape shape = values.shape;
  shape.set(axis, count);
  detail::for_each_line(shape, axis, x.strides, values.strides, [&](std::int64_t from, std::int64_t to) {
    detail::with_place(count, [&]<class Place>(Place) {
      using Item = detail::KeyAt<typename SortKey<T>::type, Place>;
      const T* line = static_cast<const T*>(x.data) + from;
      const std::int64_t step = x.strides[a];
      const Item* best = nullptr;
      if (4 * k >= count) {
        best = detail::sorted_places<T, Place>(line, step, count, descending);
      } else {
        // The best so far, followed by space for as many candidates: whenever it is full, the best half is kept.
        Item* items = scratch<detail::SortScratch, Item>(2 * k);
        std::int64_t held = 0;
        auto bound = std::numeric_limits<typename SortKey<T>::type>::max();
        for (std::int64_t i = 0; i < count; ++i) {
          const auto key = SortKey<T>::encode(line[i * step], descending);
          if (held >= k && key >= bound) continue;  // a later element of the same key comes after those that are held
          items[held++] = {key, static_cast<Place>(i)};
          if (held == 2 * k) {
            std::nth_element(items, items + (k - 1), items + held);
            held = k;
            bound = items[k - 1].key;
          }
        }
        std::sort(items, items + held);
        best = items;
      }
      T* value = static_cast<T*>(values.data) + to;
      std::int64_t* index = static_cast<std::int64_t*>(indices.data) + to;
      for (std::int64_t i = 0; i < k; ++i) {
        value[i * values.strides[a]] = line[best[i].place * step];
        index[i * indices.strides[a]] = best[i].place;
      }
    });
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
