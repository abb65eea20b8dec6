// SPDX-License-Identifier: Apache-2.0
// The place of an element among sorted elements or in bins, as functions of its index that every backend calls.
#pragma once

#include <concepts>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/plan/sort_key.hpp>

namespace situ::internal {

namespace program {

/// The number of elements at the beginning of a line, not empty, for which `stands_before` is true. The same number of
/// steps for every value, and no branch that depends on it.
template <class T, class F>
constexpr std::int64_t count_before(const T* line, std::int64_t length, const F& stands_before) {
  const T* first = line;
  for (std::int64_t rest = length; rest > 1;) {
    const std::int64_t half = rest / 2;
    first += half & -static_cast<std::int64_t>(stands_before(first[half - 1]));
    rest -= half;
  }
  return first - line + static_cast<std::int64_t>(stands_before(*first));
}

/// The position at which a value would be inserted into a sorted line: before equal elements, or (`right`) after them.
/// NaN belongs after all numbers, as in `sort`. Lines and values are stored without gaps.
template <Element T>
struct SortedSearch {
  const T* lines;
  std::int64_t length;  // of a line
  const T* values;
  std::int64_t each;  // the number of adjacent values for a line, all of them if there is one line
  bool one_line;      // saves a 64-bit division for each value
  bool right;

  constexpr std::int64_t operator()(std::int64_t i) const {
    if (length == 0) return 0;
    const T value = values[i];
    const T* const line = lines + (one_line ? 0 : i / each * length);
    if constexpr (std::same_as<T, compute_t<T>>) {
      if (value == value) {  // then no NaN stands before it, as the comparison says too
        if (right) return count_before(line, length, [=](T element) { return element <= value; });
        return count_before(line, length, [=](T element) { return element < value; });
      }
    }
    const auto key = SortKey<T>::encode(value, false);
    return count_before(line, length, [=, after = right](T element) {
      const auto own = SortKey<T>::encode(element, false);
      return own < key || (after && own == key);
    });
  }
};

/// The element itself as a number.
template <IntegerElement T>
struct OwnNumber {
  const T* elements;
  constexpr std::int64_t operator()(std::int64_t i) const { return static_cast<std::int64_t>(elements[i]); }
};

/// The bin of an element, among bins of equal width between `edges[0]` and `edges[bins]`: at or above its lower edge
/// and below its upper one, which only the last bin includes. -1 outside, and for NaN. The division only guesses the
/// bin; the edges decide, as in NumPy, so that every element is within the edges of its bin.
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

/// The bin among bins with any edges, from the position of a value among the edges, after equal ones.
template <FloatingElement E>
struct UnevenBins {
  SortedSearch<E> behind;

  constexpr std::int64_t operator()(std::int64_t i) const {
    const E value = behind.values[i];
    const E* const edges = behind.lines;
    const std::int64_t bins = behind.length - 1;
    if (!(value >= edges[0] && value <= edges[bins])) return -1;
    const std::int64_t bin = count_before(edges, bins, [=](E edge) { return edge <= value; }) - 1;
    return bin < bins ? bin : bins - 1;
  }
};

}  // namespace program

/// `counts[f(i)] += 1` for each `i` below `count`; ignores values outside 0 to `size - 1`. `f` is trivially copyable
/// and constexpr.
template <class B, class F>
concept CountsEach = requires(const B& backend, const F& f, std::int64_t count, std::int64_t size,
                              std::int64_t* counts) { count_each(backend, f, count, size, counts); };

namespace kernels {
struct Count;
}  // namespace kernels

}  // namespace situ::internal
