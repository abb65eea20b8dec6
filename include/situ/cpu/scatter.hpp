// SPDX-License-Identifier: Apache-2.0
// The kernel of host devices that writes at indices: scatter and its family.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/crowded_places.hpp>
#include <situ/cpu/gather.hpp>
#include <situ/cpu/index_positions.hpp>
#include <situ/cpu/scatter_line.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// The number of lines that are written together, so that their elements stay in the cache.
inline constexpr std::int64_t lines_together = 256;

/// Scatters lines `begin` to `end`, `lines_together` at a time, so that their elements stay in the cache for every `j`.
/// `run(at, j, position, line, length)` combines element `j` of a run of lines that share its index.
template <class Rule, class T, class At, class Run>
void scatter_some_lines(const ScatteredLines<T, At>& x, std::int64_t begin, std::int64_t end, const Run& run) {
  const std::int64_t from_step = x.last_stride(0), index_step = x.last_stride(1), to_step = x.last_stride(2);
  if (index_step != 0 && x.is_contiguous() && x.count >= shortest_own_line) {
    return x.axes.for_each_run(begin, end, [&](const auto& at, std::int64_t, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) {
        scatter_plain_line<Rule>(x, {at[0] + i * from_step, at[1] + i * index_step, at[2] + i * to_step});
      }
    });
  }
  for (std::int64_t first = begin; first < end; first += lines_together) {
    if (index_step == 0 && x.axes.rank() == 1) {  // the same indices, and adjacent lines
      const std::int64_t length = std::min(lines_together, end - first);
      const LinePlace at{first * from_step, 0, first * to_step};
      each_position_tile(x.indexed, x.index, x.index_along, x.count,
                         [&](const std::int64_t* positions, std::int64_t done, std::int64_t some) {
                           for (std::int64_t j = 0; j < some; ++j) run(at, done + j, positions[j], first, length);
                         });
      continue;
    }
    for (std::int64_t j = 0; j < x.count; ++j) {
      x.axes.for_each_run(
          first, std::min(first + lines_together, end), [&](const auto& at, std::int64_t line, std::int64_t length) {
            if (index_step == 0 || length == 1) return run(at, j, x.position(at[1], j), line, length);
            for (std::int64_t i = 0; i < length; ++i) {
              T& place = x.to[at[2] + i * to_step + x.position(at[1] + i * index_step, j) * x.out_along];
              place = Rule::combine(place, x.from[at[0] + i * from_step + j * x.source_along]);
            }
          });
    }
  }
}

/// `scatter_some_lines` without totals.
template <class Rule, class T, class At>
void scatter_plain_lines(const ScatteredLines<T, At>& x, std::int64_t begin, std::int64_t end) {
  scatter_some_lines<Rule>(
      x, begin, end, [&](const auto& at, std::int64_t j, std::int64_t position, std::int64_t, std::int64_t length) {
        combine_run<Rule>(x.to + at[2] + position * x.out_along, x.last_stride(2), x.from + at[0] + j * x.source_along,
                          x.last_stride(0), length);
      });
}

/// Scatters lines `begin` to `end`, each with its own indices, in which one place may receive more elements than are
/// added up in the element type. Counts line by line: a line with such a place is finished at once, with totals for its
/// crowded places; the lines between are scattered together.
template <class Rule, class T, class At>
void scatter_crowded_lines(const ScatteredLines<T, At>& x, std::int64_t positions, std::int64_t begin,
                           std::int64_t end) {
  CrowdedPlaces<T> crowded(positions, x.count);
  for (std::int64_t first = begin; first < end; first += lines_together) {
    const std::int64_t behind = std::min(first + lines_together, end);
    std::int64_t plain = first;  // the first unfinished line
    for (std::int64_t line = first; line < behind; ++line) {
      x.axes.for_each_run(line, line + 1, [&](const auto& at, std::int64_t, std::int64_t) {
        for (std::int64_t j = 0; j < x.count; ++j) crowded.count(x.position(at[1], j));
        if (crowded.size() > 0) {
          scatter_plain_lines<Rule>(x, plain, line);
          plain = line + 1;
          scatter_crowded_line<Rule>(x, at, crowded);
        }
        crowded.forget([&](std::int64_t j) { return x.position(at[1], j); });
      });
    }
    scatter_plain_lines<Rule>(x, plain, behind);
  }
}

/// The totals of crowded places if all lines share the indices: one total per line for each place.
template <class Rule, class T, class At>
class SharedTotals {
 public:
  SharedTotals(const ScatteredLines<T, At>& x, std::int64_t positions, std::int64_t lines)
      : x_(x), lines_(lines), crowded_(positions, x.count) {
    for (std::int64_t j = 0; j < x.count; ++j) crowded_.count(x.position(0, j));
    if (crowded_.size() > 0) totals_ = scratch<ScatterTotals, double>(crowded_.size() * lines);
  }

  [[nodiscard]] bool needed() const { return crowded_.size() > 0; }
  /// Adds a run of lines to the totals of a position; false if it has none.
  [[nodiscard]] bool add(std::int64_t position, std::int64_t line, const T* values, std::int64_t step,
                         std::int64_t length) const {
    const std::int64_t total = crowded_.total_of(position);
    if (total < 0) return false;
    double* const totals = totals_ + total * lines_ + line;
    if (crowded_[total].template is_wide<T>()) {
      for (std::int64_t i = 0; i < length; ++i) totals[i] = with_element<Rule>(totals[i], values[i * step], true);
    } else {
      for (std::int64_t i = 0; i < length; ++i) totals[i] = with_element<Rule>(totals[i], values[i * step], false);
    }
    return true;
  }
  /// Initializes totals with the existing elements at positions [from, to) of lines [begin, end).
  void begin(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) const {
    each(from, to, begin, end, [](double& total, T& place) { total = total_from(place); });
  }
  void finish(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) const {
    each(from, to, begin, end, [](double& total, T& place) { place = place_from<T>(total); });
  }

 private:
  template <class F>
  void each(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end, const F& f) const {
    for (std::int64_t total = 0; total < crowded_.size(); ++total) {
      const std::int64_t position = crowded_[total].position;
      if (position < from || position >= to) continue;
      x_.axes.for_each_run(begin, end, [&](const auto& at, std::int64_t line, std::int64_t length) {
        T* const places = x_.to + at[2] + position * x_.out_along;
        double* const totals = totals_ + total * lines_ + line;
        for (std::int64_t i = 0; i < length; ++i) f(totals[i], places[i * x_.last_stride(2)]);
      });
    }
  }

  const ScatteredLines<T, At>& x_;
  std::int64_t lines_;
  CrowdedPlaces<T> crowded_;
  double* totals_ = nullptr;
};
/// For a rule that needs no totals.
struct NoTotals {
  static constexpr void begin(std::int64_t, std::int64_t, std::int64_t, std::int64_t) {}
  static constexpr void finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t) {}
};

/// Whether all lines share the indices.
[[nodiscard]] inline bool shares_indices(const Shape& lines, const Strides& indices) {
  for (int axis = 0; axis < lines.rank(); ++axis) {
    if (lines[axis] > 1 && indices[static_cast<std::size_t>(axis)] != 0) return false;
  }
  return true;
}

/// Scatters all lines, each in the order of its elements.
template <class Rule, class T, class At, class Totals>
void scatter_lines(const ScatteredLines<T, At>& x, std::int64_t positions, std::int64_t lines, const Totals& totals) {
  const std::int64_t from_step = x.last_stride(0), to_step = x.last_stride(2);
  const auto combine = [&](const auto& at, std::int64_t j, std::int64_t position, std::int64_t line,
                           std::int64_t length) {
    const T* const values = x.from + at[0] + j * x.source_along;
    if constexpr (!std::same_as<Totals, NoTotals>) {
      if (totals.add(position, line, values, from_step, length)) return;
    }
    combine_run<Rule>(x.to + at[2] + position * x.out_along, to_step, values, from_step, length);
  };
  // A thread gets whole lines along the axis.
  const auto some_lines = [&](std::int64_t begin, std::int64_t end) {
    totals.begin(0, positions, begin, end);
    scatter_some_lines<Rule>(x, begin, end, combine);
    totals.finish(0, positions, begin, end);
  };
  // Alternative, for indices that all lines of one run share (as in `index_add`), when whole lines would give each thread only a
  // few cache lines of every part: a thread gets a range of positions, and skips the indices outside it.
  const auto some_positions = [&](std::int64_t begin, std::int64_t end) {
    totals.begin(begin, end, 0, lines);
    each_position(x, 0, [&](std::int64_t j, std::int64_t position) {
      if (position >= begin && position < end) combine(LinePlace{}, j, position, 0, lines);
    });
    totals.finish(begin, end, 0, lines);
  };
  const std::int64_t threads = num_threads();
  const bool one_index = x.axes.rank() == 1 && x.last_stride(1) == 0;
  if (one_index && lines >= 16 && lines < 1024 * threads && positions >= 16 * threads) {
    const bool serial = lines * x.count < 2 * gather_grain;
    parallel_for(0, positions, serial ? positions : positions / threads, some_positions, 1);
    return;
  }
  // If lines are adjacent in memory a thread gets whole cache lines; otherwise each thread would read them all.
  const std::int64_t alignment = to_step == 1 ? 64 : rows_alignment(x.count);
  const std::int64_t grain = gather_grain / std::max<std::int64_t>(1, x.count);
  parallel_for(0, lines, std::max(alignment, grain), some_lines, alignment);
}

}  // namespace detail

/// `out[..., indices[..., j, ...], ...] = source[..., j, ...]`, combined with the existing element by `Rule` (see
/// formula/scatter.hpp), in the order of `j`: of several writes to one place the last one wins, and sums are rounded in
/// that order, for any number of threads; sums of 16-bit floats and of many floats use a wider type. `indices` and
/// `source` have strides for the shape of `out` with `count` positions along `axis`.
template <class Rule, Element T, IntegerElement At>
void scatter_along(Backend, const program::Operand& source, const program::Operand& indices, std::int64_t count,
                   IndexedOperation operation, int axis, const program::Destination& out) {
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t positions = out.shape[axis];
  const Shape shape = without_axis(out.shape, axis);
  const Strides index_strides = without_axis(indices.strides, axis, shape);
  const std::int64_t lines = shape.count();
  const detail::ScatteredLines<T, At> x{
      program::Axes<3>(
          {without_axis(source.strides, axis, shape), index_strides, without_axis(out.strides, axis, shape)}, shape),
      static_cast<const T*>(source.data),
      static_cast<const At*>(indices.data),
      static_cast<T*>(out.data),
      source.strides[a],
      indices.strides[a],
      out.strides[a],
      count,
      {{}, operation, axis, positions}};
  if (lines == 1) return detail::scatter_one_line<Rule>(x, positions);
  if constexpr (scattering::widens<Rule, T>) {
    if (count > scattering::most_as_they_are<T> && lines > 0) {
      if (detail::shares_indices(shape, index_strides)) {
        const detail::SharedTotals<Rule, T, At> totals(x, positions, lines);
        if (totals.needed()) return detail::scatter_lines<Rule>(x, positions, lines, totals);
      } else {
        const auto some_lines = [&](std::int64_t begin, std::int64_t end) {
          detail::scatter_crowded_lines<Rule>(x, positions, begin, end);
        };
        const std::int64_t alignment = x.last_stride(2) == 1 ? 64 : detail::rows_alignment(count);
        return parallel_for(0, lines, std::max(alignment, detail::gather_grain / count), some_lines, alignment);
      }
    }
  }
  detail::scatter_lines<Rule>(x, positions, lines, detail::NoTotals{});
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
