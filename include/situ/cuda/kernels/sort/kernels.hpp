// SPDX-License-Identifier: Apache-2.0
// The sort kernels of GPUs: a block sorts short lines in its shared memory; long ones are written as keys
// (plan/sort_key.hpp) for `sort_segments`, and read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/gather_index.hpp>
#include <situ/cuda/kernels/layout.hpp>
#include <situ/plan/sort_key.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda::detail {

/// The lines to sort: reads `x`, writes `values` and `indices` (either may be null).
template <class T>
struct SortedLines {
  const T* x;
  T* values;
  std::int64_t* indices;
  StridedIndex<std::int64_t, 3> places;  // of the lines in x, values, indices
  std::int64_t x_step;
  std::int64_t values_step;
  std::int64_t indices_step;
  std::int64_t lines;
  std::int64_t count;  // elements of a line
  std::int64_t keep;   // the number of first elements that are written
  bool descending;
};

/// Lines of at most this length are sorted by a block, which has room for as many elements.
inline constexpr int block_sort_room = 2048;

/// Keys with their positions in the shared memory of a block. All differ, so that any sorting network is stable.
template <class Key>
struct BlockItems {
  std::uint64_t item[block_sort_room];  // the position in the lower half, so that one comparison suffices

  constexpr void set(int i, Key key, int place) {
    item[i] = std::uint64_t{key} << 32 | static_cast<std::uint32_t>(place);
  }
  constexpr void set_last(int i) { item[i] = ~std::uint64_t{0}; }
  [[nodiscard]] constexpr int place(int i) const { return static_cast<int>(item[i] & 0xffffffffu); }  // -1: padding
  constexpr void order(int low, int high) {
    const std::uint64_t a = item[low], b = item[high];
    if (a <= b) return;
    item[low] = b;
    item[high] = a;
  }
};
template <>
struct BlockItems<std::uint64_t> {
  std::uint64_t key[block_sort_room];
  std::uint16_t at[block_sort_room];

  constexpr void set(int i, std::uint64_t value, int place) {
    key[i] = value;
    at[i] = static_cast<std::uint16_t>(place);
  }
  constexpr void set_last(int i) { set(i, ~std::uint64_t{0}, 0xffff); }
  [[nodiscard]] constexpr int place(int i) const { return at[i]; }
  constexpr void order(int low, int high) {
    const std::uint64_t a = key[low], b = key[high];
    const std::uint16_t i = at[low], j = at[high];
    if (a < b || (a == b && i <= j)) return;
    key[low] = b, key[high] = a;
    at[low] = j, at[high] = i;
  }
};

/// Sorts adjacent lines of `padded` items, a power of two: a bitonic network.
template <int threads, class Items>
SITU_DEVICE void order_lines(Items& items, int padded) {
  for (int size = 2; size <= padded; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      kernel::barrier();
      for (int pair = kernel::thread(); pair < block_sort_room / 2; pair += threads) {
        const int i = 2 * pair - (pair & (distance - 1));
        const bool falling = (i & (padded - 1) & size) != 0;  // the last round is ascending in every line
        items.order(falling ? i + distance : i, falling ? i : i + distance);
      }
    }
  }
  kernel::barrier();
}

/// Sorts as many lines as fit in a block, with their length rounded up to a power of two.
template <class T>
struct SortInBlock {
  static constexpr int threads = 256;
  static constexpr const char* name = "sort: block";
  SortedLines<T> x;
  int bits;  // of the length

  SITU_DEVICE void operator()() const {
    auto& items = kernel::block_shared<BlockItems<typename SortKey<T>::type>>();
    const int padded = 1 << bits;
    const std::int64_t first_line = kernel::block() * (block_sort_room >> bits);
    for (int i = kernel::thread(); i < block_sort_room; i += threads) {
      const std::int64_t line = first_line + (i >> bits);
      const int place = i & (padded - 1);
      if (line < x.lines && place < x.count) {
        const auto offsets = x.places.locate(line);
        items.set(i, SortKey<T>::encode(x.x[offsets[0] + place * x.x_step], x.descending), place);
      } else {
        items.set_last(i);
      }
    }
    order_lines<threads>(items, padded);
    for (int i = kernel::thread(); i < block_sort_room; i += threads) {
      const std::int64_t line = first_line + (i >> bits);
      const int rank = i & (padded - 1);
      if (line >= x.lines || rank >= x.keep) continue;
      const int place = items.place(i);
      const auto offsets = x.places.locate(line);
      if (x.values != nullptr) x.values[offsets[1] + rank * x.values_step] = x.x[offsets[0] + place * x.x_step];
      if (x.indices != nullptr) x.indices[offsets[2] + rank * x.indices_step] = place;
    }
  }
};

/// Selects the first elements, in order, of every piece of a line: `to` gets their positions, and those of all pieces
/// form the line of the next round; the last round, with one piece, writes the result. Elements with equal keys stay in
/// order, since the pieces do.
template <class T>
struct SelectInBlock {
  static constexpr int threads = 256;
  static constexpr const char* name = "topk: block";
  SortedLines<T> x;
  const std::int64_t* from;  // the position of each item in its line, or -1; null: the items are the line itself
  std::int64_t* to;          // null in the last round
  std::int64_t items;        // of a line
  Divider<std::int64_t> pieces;

  SITU_DEVICE void operator()() const {
    auto& block = kernel::block_shared<BlockItems<typename SortKey<T>::type>>();
    const std::int64_t line = pieces.quotient(kernel::block());
    const std::int64_t first = (kernel::block() - line * static_cast<std::int64_t>(pieces.divisor)) * block_sort_room;
    const auto offsets = x.places.locate(line);
    for (int i = kernel::thread(); i < block_sort_room; i += threads) {
      const std::int64_t place = place_of(line, first + i);
      if (place < 0) block.set_last(i);
      else block.set(i, SortKey<T>::encode(x.x[offsets[0] + place * x.x_step], x.descending), i);
    }
    order_lines<threads>(block, block_sort_room);
    for (int rank = kernel::thread(); rank < x.keep; rank += threads) {
      const int i = block.place(rank);
      const std::int64_t place = i >= 0 && i < block_sort_room ? place_of(line, first + i) : -1;
      if (to != nullptr) {
        to[kernel::block() * x.keep + rank] = place;
      } else {
        if (x.values != nullptr) x.values[offsets[1] + rank * x.values_step] = x.x[offsets[0] + place * x.x_step];
        if (x.indices != nullptr) x.indices[offsets[2] + rank * x.indices_step] = place;
      }
    }
  }

 private:
  SITU_DEVICE std::int64_t place_of(std::int64_t line, std::int64_t item) const {
    if (item >= items) return -1;
    return from == nullptr ? item : from[line * items + item];
  }
};

/// The form of elements of long lines in the arrays of `sort_segments`.
enum class SortForm {
  keys,    // keys only, for elements that are determined by their key
  packed,  // 8 bytes: a key of at most 4 above the position
  narrow,  // keys of 8 bytes, positions of 4
  wide,    // keys of 8 bytes, positions of 8
};
template <SortForm Form>
using sort_place_t = std::conditional_t<Form == SortForm::wide, std::uint64_t, std::uint32_t>;

template <class T, SortForm Form>
struct EncodeKeys {
  static constexpr int threads = 256;
  static constexpr const char* name = "sort: keys";
  SortedLines<T> x;
  void* keys;
  void* places;
  Divider<std::int64_t> count;  // of a line

  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= x.lines * x.count) return;
    const std::int64_t line = count.quotient(i);
    const std::int64_t place = i - line * x.count;
    const auto offsets = x.places.locate(line);
    const auto key = SortKey<T>::encode(x.x[offsets[0] + place * x.x_step], x.descending);
    if constexpr (Form == SortForm::keys) {
      static_cast<typename SortKey<T>::type*>(keys)[i] = key;
    } else if constexpr (Form == SortForm::packed) {
      static_cast<std::uint64_t*>(keys)[i] = std::uint64_t{key} << 32 | static_cast<std::uint64_t>(place);
    } else {
      static_cast<std::uint64_t*>(keys)[i] = key;
      static_cast<sort_place_t<Form>*>(places)[i] = static_cast<sort_place_t<Form>>(place);
    }
  }
};

template <class T, SortForm Form>
struct DecodeKeys {
  static constexpr int threads = 256;
  static constexpr const char* name = "sort: elements";
  SortedLines<T> x;
  const void* keys;
  const void* sorted_places;
  Divider<std::int64_t> keep;

  SITU_DEVICE void operator()() const {
    using Key = typename SortKey<T>::type;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= x.lines * x.keep) return;
    const std::int64_t line = keep.quotient(i);
    const std::int64_t rank = i - line * x.keep;
    const std::int64_t from = line * x.count + rank;
    const auto offsets = x.places.locate(line);
    Key key{};
    std::int64_t place = 0;
    if constexpr (Form == SortForm::keys) {
      key = static_cast<const Key*>(keys)[from];
    } else if constexpr (Form == SortForm::packed) {
      const std::uint64_t item = static_cast<const std::uint64_t*>(keys)[from];
      key = static_cast<Key>(item >> 32);
      place = static_cast<std::int64_t>(item & 0xffffffffu);
    } else {
      key = static_cast<Key>(static_cast<const std::uint64_t*>(keys)[from]);
      place = static_cast<std::int64_t>(static_cast<const sort_place_t<Form>*>(sorted_places)[from]);
    }
    if (x.values != nullptr) {
      T element = SortKey<T>::decode(key, x.descending);
      // for zeros and NaN, read the original element again
      if (SortKey<T>::is_ambiguous(element)) element = x.x[offsets[0] + place * x.x_step];
      x.values[offsets[1] + rank * x.values_step] = element;
    }
    if constexpr (Form != SortForm::keys) {
      if (x.indices != nullptr) x.indices[offsets[2] + rank * x.indices_step] = place;
    }
  }
};

}  // namespace situ::internal::cuda::detail

#endif
