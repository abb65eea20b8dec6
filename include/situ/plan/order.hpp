// SPDX-License-Identifier: Apache-2.0
// Where an element belongs, as functions of its position that every backend drives: in sorted elements, and in bins.
#pragma once

#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/plan/sort_key.hpp>

namespace situ::internal {

namespace program {

/// The position in a sorted line at which a value would be put in: before what is equal, or (`right`) behind it. NaN
/// belongs behind all numbers, where `sort` puts it. Lines and values lie without gaps.
template <Element T>
struct SortedSearch {
  const T* lines;
  std::int64_t length;  // of a line
  const T* values;
  std::int64_t each;  // so many adjacent values belong to a line, all of them if there is one line
  bool one_line;      // saves a division of 64 bits for each value
  bool right;

  constexpr std::int64_t operator()(std::int64_t i) const {
    if (length == 0) return 0;
    const auto key = SortKey<T>::encode(values[i], false);
    const T* const line = lines + (one_line ? 0 : i / each * length);
    const T* first = line;
    // As many steps for every value, and no branch that depends on it.
    for (std::int64_t rest = length; rest > 1;) {
      const std::int64_t half = rest / 2;
      first += stands_before(first[half - 1], key) ? half : 0;
      rest -= half;
    }
    return first - line + (stands_before(*first, key) ? 1 : 0);
  }

 private:
  [[nodiscard]] constexpr bool stands_before(T element, typename SortKey<T>::type key) const {
    const auto own = SortKey<T>::encode(element, false);
    return own < key || (right && own == key);
  }
};

/// The number that an element is.
template <IntegerElement T>
struct OwnNumber {
  const T* elements;
  constexpr std::int64_t operator()(std::int64_t i) const { return static_cast<std::int64_t>(elements[i]); }
};

/// The bin that an element falls into, of bins as wide as each other between `edges[0]` and `edges[bins]`: at or above
/// its lower edge and below its upper one, which belongs to the last bin alone. -1 outside, and for NaN. What the
/// division gives is a guess; the edges decide, as in NumPy, so that no element stands in a bin whose edges deny it.
template <Element T, FloatingElement E>
struct EvenBins {
  const T* elements;
  const E* edges;
  std::int64_t bins;
  double per_unit;  // bins to a unit of the elements

  constexpr std::int64_t operator()(std::int64_t i) const {
    const E value = static_cast<E>(static_cast<compute_t<T>>(elements[i]));
    if (!(value >= edges[0] && value <= edges[bins])) return -1;
    const double guess = (static_cast<double>(value) - static_cast<double>(edges[0])) * per_unit;
    std::int64_t bin = guess < static_cast<double>(bins - 1) ? static_cast<std::int64_t>(guess) : bins - 1;
    while (bin > 0 && value < edges[bin]) --bin;
    while (bin + 1 < bins && value >= edges[bin + 1]) ++bin;
    return bin;
  }
};

/// The bin among bins with any edges, from where a value belongs behind equal ones among the edges.
template <FloatingElement E>
struct UnevenBins {
  SortedSearch<E> behind;

  constexpr std::int64_t operator()(std::int64_t i) const {
    const E value = behind.values[i];
    const E* const edges = behind.lines;
    const std::int64_t bins = behind.length - 1;
    if (!(value >= edges[0] && value <= edges[bins])) return -1;
    const std::int64_t bin = behind(i) - 1;
    return bin < bins ? bin : bins - 1;
  }
};

}  // namespace program

/// `counts[f(i)] += 1` for each `i` below `count`; what is not of 0 to `size - 1` is not counted. `f` is trivially
/// copyable and constexpr.
template <class B, class F>
concept CountsEach = requires(const B& backend, const F& f, std::int64_t count, std::int64_t size,
                              std::int64_t* counts) { count_each(backend, f, count, size, counts); };

namespace kernels {
struct Count;
}  // namespace kernels

}  // namespace situ::internal
