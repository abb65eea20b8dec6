// SPDX-License-Identifier: Apache-2.0
// The lines of a scatter: their layout, and one line at a time. A line of many floats counts what goes to each place
// while it adds; only if a place is crowded, which few lines have, it begins again with totals.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/cpu/crowded_places.hpp>
#include <situ/cpu/index_positions.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/indices.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

/// Lines of fewer elements are scattered together, element by element, even if each has its own indices.
inline constexpr std::int64_t shortest_own_line = 8;

/// Where a line begins in source, indices and out.
using LinePlace = std::array<std::int64_t, 3>;

/// The layout of the operands of a scatter: lines of `count` elements along the axis.
template <class T, class At>
struct ScatteredLines {
  program::Axes<3> axes;  // strides between lines in source, indices and out
  const T* from;
  const At* index;
  T* to;
  std::int64_t source_along, index_along, out_along;  // strides along the axis
  std::int64_t count;
  IndexedAxis<ThrowIndexError> indexed;

  [[nodiscard]] std::int64_t last_stride(std::size_t operand) const {
    return axes.stride(axes.rank() - 1, static_cast<int>(operand));
  }
  /// Whether elements of a line are adjacent in all operands.
  [[nodiscard]] bool is_contiguous() const { return source_along == 1 && index_along == 1 && out_along == 1; }
  /// The target position of element `j` of the line whose indices begin at `offset`.
  [[nodiscard]] std::int64_t position(std::int64_t offset, std::int64_t j) const {
    return indexed.position(index[offset + j * index_along]);
  }
};

/// `places[i] = Rule::combine(places[i], values[i])` for a run.
template <class Rule, class T>
void combine_run(T* __restrict places, std::int64_t place_step, const T* __restrict values, std::int64_t value_step,
                 std::int64_t length) {
  if (place_step == 1 && value_step == 1) {
    for (std::int64_t i = 0; i < length; ++i) places[i] = Rule::combine(places[i], values[i]);
  } else {
    for (std::int64_t i = 0; i < length; ++i) {
      places[i * place_step] = Rule::combine(places[i * place_step], values[i * value_step]);
    }
  }
}

/// Calls `f(j, position)` for the elements of a line in order.
template <class T, class At, class F>
void each_position(const ScatteredLines<T, At>& x, std::int64_t index_offset, const F& f) {
  each_position_tile(x.indexed, x.index + index_offset, x.index_along, x.count,
                     [&](const std::int64_t* positions, std::int64_t first, std::int64_t length) {
                       for (std::int64_t i = 0; i < length; ++i) f(first + i, positions[i]);
                     });
}

/// A line without totals.
template <class Rule, class T, class At>
void scatter_plain_line(const ScatteredLines<T, At>& x, const LinePlace& line) {
  const T* const from = x.from + line[0];
  T* const to = x.to + line[2];
  if (x.is_contiguous()) {
    return each_position(x, line[1], [=](std::int64_t j, std::int64_t position) {
      to[position] = Rule::combine(to[position], from[j]);
    });
  }
  each_position(x, line[1], [=, step = x.source_along, along = x.out_along](std::int64_t j, std::int64_t position) {
    T& place = to[position * along];
    place = Rule::combine(place, from[j * step]);
  });
}

/// A line with totals for its crowded places, which have been counted.
template <class Rule, class T, class At>
void scatter_crowded_line(const ScatteredLines<T, At>& x, const LinePlace& line, const CrowdedPlaces<T>& crowded) {
  double* const totals = scratch<ScatterTotals, double>(crowded.size());
  const T* const from = x.from + line[0];
  T* const to = x.to + line[2];
  for (std::int64_t total = 0; total < crowded.size(); ++total)
    totals[total] = total_from(to[crowded[total].position * x.out_along]);
  each_position(x, line[1], [&](std::int64_t j, std::int64_t position) {
    const std::int64_t total = crowded.total_of(position);
    const T value = from[j * x.source_along];
    T& place = to[position * x.out_along];
    if (total < 0) place = Rule::combine(place, value);
    else totals[total] = with_element<Rule>(totals[total], value, crowded[total].template is_wide<T>());
  });
  for (std::int64_t total = 0; total < crowded.size(); ++total)
    to[crowded[total].position * x.out_along] = place_from<T>(totals[total]);
}

struct ScatterBackup;
struct ScatterTally;

/// Scatters the first line as if no place were crowded, while it counts. If one is, the line is as it was before, and the
/// result is false.
template <class Rule, class T, class At>
[[nodiscard]] bool scatter_uncrowded_line(const ScatteredLines<T, At>& x, std::int64_t positions) {
  using Count = std::uint16_t;
  constexpr auto most = static_cast<Count>(scattering::most_as_they_are<T>);
  T* const before = scratch<ScatterBackup, T>(positions);
  Count* const counts = scratch<ScatterTally, Count>(positions);
  for (std::int64_t i = 0; i < positions; ++i) before[i] = x.to[i * x.out_along];
  std::fill_n(counts, positions, Count(0));
  bool crowded = false;
  each_position_tile(x.indexed, x.index, x.index_along, x.count,
                     [&](const std::int64_t* at, std::int64_t first, std::int64_t length) {
                       if (crowded) return;
                       bool beyond = false;
                       const T* const from = x.from + first * x.source_along;
                       const std::int64_t step = x.source_along, along = x.out_along;
                       for (std::int64_t i = 0; i < length; ++i) {
                         T& place = x.to[at[i] * along];
                         place = Rule::combine(place, from[i * step]);
                         beyond |= counts[at[i]]++ == most;
                       }
                       crowded = beyond;
                     });
  if (!crowded) return true;
  for (std::int64_t i = 0; i < positions; ++i) x.to[i * x.out_along] = before[i];
  return false;
}

/// A scatter of a single line, on this thread.
template <class Rule, class T, class At>
void scatter_one_line(const ScatteredLines<T, At>& x, std::int64_t positions) {
  if constexpr (scattering::widens<Rule, T>) {
    constexpr std::int64_t most = scattering::most_as_they_are<T>;
    if (x.count > most) {
      // More than that for each place on average: then one is crowded.
      const bool maybe = std::same_as<T, float> && positions <= 2 * x.count && x.count <= most * positions;
      if (maybe && scatter_uncrowded_line<Rule>(x, positions)) return;
      CrowdedPlaces<T> crowded(positions, x.count);
      each_position(x, 0, [&](std::int64_t, std::int64_t position) { crowded.count(position); });
      if (crowded.size() > 0) return scatter_crowded_line<Rule>(x, LinePlace{}, crowded);
    }
  }
  scatter_plain_line<Rule>(x, LinePlace{});
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
