// SPDX-License-Identifier: Apache-2.0
// The kernel of host devices that writes where an index says: scatter and its family.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/cpu/gather.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/formula/scatter.hpp>
#include <situ/plan/axes.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/program.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::cpu {

namespace detail {

// Purposes of working memory.
struct ScatterCounts;
struct ScatterPlaces;
struct ScatterTotals;

/// Places to which more than `scattering::most_narrow` elements go, by their numbers: how many go to each is counted
/// before they do. A number above `most_narrow` is that of a place with a total of its own.
class CrowdedPlaces {
 public:
  using Count = std::int32_t;

  /// None of `places` has an element yet.
  explicit CrowdedPlaces(std::int64_t places) : counts_(scratch<ScatterCounts, Count>(places)) {
    std::fill_n(counts_, places, Count(0));
  }
  /// One more goes there. Calls `crowded(number)` when that is too many, with the number of the total.
  template <class F>
  void count(std::int64_t place, const F& crowded) {
    Count& count = counts_[place];
    if (count < most) {
      ++count;
    } else if (count == most) {
      count = most + 1 + size_;
      crowded(std::int64_t{size_++});
    }
  }
  /// As at the beginning, for a place that was counted.
  void forget(std::int64_t place) { counts_[place] = 0; }
  void forget_all() { size_ = 0; }

  [[nodiscard]] std::int64_t size() const { return size_; }
  /// The number of the total of a place, or a negative one.
  [[nodiscard]] std::int64_t total_of(std::int64_t place) const { return std::int64_t{counts_[place]} - most - 1; }

 private:
  static constexpr auto most = static_cast<Count>(scattering::most_narrow);

  Count* counts_;
  Count size_ = 0;
};

/// Where the operands of a scatter lie: `count` elements along the axis of each line.
template <class T, class At>
struct ScatteredLines {
  program::Axes<3> axes;  // of the lines, in source, indices and out
  const T* from;
  const At* index;
  T* to;
  std::int64_t source_along, index_along, out_along;  // the steps along the axis
  std::int64_t count;
  IndexedAxis<ThrowIndexError> indexed;

  [[nodiscard]] std::int64_t last_stride(std::size_t operand) const {
    return axes.stride(axes.rank() - 1, static_cast<int>(operand));
  }
  /// Of element `j` of the line whose indices begin at `offset`.
  [[nodiscard]] std::int64_t position(std::int64_t offset, std::int64_t j) const {
    return indexed.position(index[offset + j * index_along]);
  }
};

/// `places[i] = Rule::combine(places[i], values[i])` for a run.
template <class Rule, class Place, class T>
void combine_run(Place* places, std::int64_t place_step, const T* values, std::int64_t value_step,
                 std::int64_t length) {
  if (place_step == 1 && value_step == 1) {
    for (std::int64_t i = 0; i < length; ++i) places[i] = Rule::combine(places[i], static_cast<Place>(values[i]));
  } else {
    for (std::int64_t i = 0; i < length; ++i) {
      Place& place = places[i * place_step];
      place = Rule::combine(place, static_cast<Place>(values[i * value_step]));
    }
  }
}

/// Lines `begin` to `end`, which have indices of their own, of which more may go to one place than are added up as they
/// are: some lines at a time, adjacent ones so that they share cache lines, are counted first.
template <class Rule, class T, class At>
void scatter_crowded_lines(const ScatteredLines<T, At>& x, std::int64_t positions, std::int64_t begin,
                           std::int64_t end) {
  const std::int64_t together = x.last_stride(2) == 1 && x.last_stride(0) == 1 ? 16 : 1;
  const std::int64_t most_totals = together * (x.count / scattering::most_narrow + 1);
  CrowdedPlaces crowded(positions * together);
  double* const totals = scratch<ScatterTotals, double>(most_totals);
  T** const places = scratch<ScatterPlaces, T*>(most_totals);
  for (std::int64_t first = begin; first < end; first += together) {
    const auto each = [&](const auto& f) {  // f(place, its number, the element)
      for (std::int64_t j = 0; j < x.count; ++j) {
        x.axes.for_each_run(first, std::min(first + together, end),
                            [&](const auto& at, std::int64_t line, std::int64_t length) {
          for (std::int64_t i = 0; i < length; ++i) {
            const std::int64_t position = x.position(at[1] + i * x.last_stride(1), j);
            f(x.to + at[2] + i * x.last_stride(2) + position * x.out_along, (line + i - first) * positions + position,
              x.from + at[0] + i * x.last_stride(0) + j * x.source_along);
          }
        });
      }
    };
    each([&](T* place, std::int64_t number, const T*) {
      crowded.count(number, [&](std::int64_t total) {
        totals[total] = static_cast<double>(*place);
        places[total] = place;
      });
    });
    each([&](T* place, std::int64_t number, const T* value) {
      const std::int64_t total = crowded.total_of(number);
      if (total < 0) *place = Rule::combine(*place, *value);
      else totals[total] = Rule::combine(totals[total], static_cast<double>(*value));
    });
    for (std::int64_t total = 0; total < crowded.size(); ++total) *places[total] = static_cast<T>(totals[total]);
    each([&](T*, std::int64_t number, const T*) { crowded.forget(number); });
    crowded.forget_all();
  }
}

/// The totals of crowded places where each index is for all lines: one for each line.
template <class Rule, class T, class At>
class SharedTotals {
 public:
  SharedTotals(const ScatteredLines<T, At>& x, std::int64_t positions, std::int64_t lines)
      : x_(x), lines_(lines), crowded_(positions) {
    positions_ = scratch<ScatterPlaces, std::int64_t>(x.count / scattering::most_narrow + 1);
    for (std::int64_t j = 0; j < x.count; ++j) {
      const std::int64_t position = x.position(0, j);
      crowded_.count(position, [&](std::int64_t total) { positions_[total] = position; });
    }
    if (crowded_.size() > 0) totals_ = scratch<ScatterTotals, double>(crowded_.size() * lines);
  }

  [[nodiscard]] bool needed() const { return crowded_.size() > 0; }
  /// Those of a position from a line on, or null.
  [[nodiscard]] double* of(std::int64_t position, std::int64_t line) const {
    const std::int64_t total = crowded_.total_of(position);
    return total < 0 ? nullptr : totals_ + total * lines_ + line;
  }
  /// Begins with what stands at the positions of [from, to), in the lines of [begin, end).
  void begin(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) const {
    each(from, to, begin, end, [](double& total, T& place) { total = static_cast<double>(place); });
  }
  void finish(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) const {
    each(from, to, begin, end, [](double& total, T& place) { place = static_cast<T>(total); });
  }

 private:
  template <class F>
  void each(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end, const F& f) const {
    for (std::int64_t total = 0; total < crowded_.size(); ++total) {
      if (positions_[total] < from || positions_[total] >= to) continue;
      x_.axes.for_each_run(begin, end, [&](const auto& at, std::int64_t line, std::int64_t length) {
        T* const places = x_.to + at[2] + positions_[total] * x_.out_along;
        double* const totals = totals_ + total * lines_ + line;
        for (std::int64_t i = 0; i < length; ++i) f(totals[i], places[i * x_.last_stride(2)]);
      });
    }
  }

  const ScatteredLines<T, At>& x_;
  std::int64_t lines_;
  CrowdedPlaces crowded_;
  std::int64_t* positions_ = nullptr;
  double* totals_ = nullptr;
};
/// Of a rule that needs none.
struct NoTotals {
  [[nodiscard]] static constexpr bool needed() { return false; }
  [[nodiscard]] static constexpr double* of(std::int64_t, std::int64_t) { return nullptr; }
  static constexpr void begin(std::int64_t, std::int64_t, std::int64_t, std::int64_t) {}
  static constexpr void finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t) {}
};

/// Whether each index is for all lines.
[[nodiscard]] inline bool shares_indices(const Shape& lines, const Strides& indices) {
  for (int axis = 0; axis < lines.rank(); ++axis) {
    if (lines[axis] > 1 && indices[static_cast<std::size_t>(axis)] != 0) return false;
  }
  return true;
}

/// All lines, each in the order of its elements.
template <class Rule, class T, class At, class Totals>
void scatter_lines(const ScatteredLines<T, At>& x, std::int64_t positions, std::int64_t lines, const Totals& totals) {
  const std::int64_t from_step = x.last_stride(0), index_step = x.last_stride(1), to_step = x.last_stride(2);
  // A run of lines, whose elements `j` all have one index.
  const auto combine = [&](const auto& at, std::int64_t j, std::int64_t position, std::int64_t line,
                           std::int64_t length) {
    const T* const values = x.from + at[0] + j * x.source_along;
    if constexpr (!Rule::replaces) {
      if (totals.needed()) {
        if (double* const wide = totals.of(position, line); wide != nullptr)
          return combine_run<Rule>(wide, 1, values, from_step, length);
      }
    }
    combine_run<Rule>(x.to + at[2] + position * x.out_along, to_step, values, from_step, length);
  };
  // A thread has whole lines along the axis, some at a time, so that their elements stay in the cache for every `j`.
  constexpr std::int64_t block = 256;
  const auto some_lines = [&](std::int64_t begin, std::int64_t end) {
    totals.begin(0, positions, begin, end);
    for (std::int64_t first = begin; first < end; first += block) {
      for (std::int64_t j = 0; j < x.count; ++j) {
        x.axes.for_each_run(first, std::min(first + block, end),
                            [&](const auto& at, std::int64_t line, std::int64_t length) {
          if (index_step == 0 || length == 1) return combine(at, j, x.position(at[1], j), line, length);
          for (std::int64_t i = 0; i < length; ++i) {
            T& place = x.to[at[2] + i * to_step + x.position(at[1] + i * index_step, j) * x.out_along];
            place = Rule::combine(place, x.from[at[0] + i * from_step + j * x.source_along]);
          }
        });
      }
    }
    totals.finish(0, positions, begin, end);
  };
  // Or, where one index is for all lines, as of `index_add`, and a thread would have a few cache lines of each part:
  // some of the positions, of all indices those that lead there.
  const auto some_positions = [&](std::int64_t begin, std::int64_t end) {
    totals.begin(begin, end, 0, lines);
    for (std::int64_t j = 0; j < x.count; ++j) {
      const std::int64_t position = x.position(0, j);
      if (position < begin || position >= end) continue;
      x.axes.for_each_run(0, lines, [&](const auto& at, std::int64_t line, std::int64_t length) {
        combine(at, j, position, line, length);
      });
    }
    totals.finish(begin, end, 0, lines);
  };
  const std::int64_t threads = num_threads();
  const bool one_index = x.axes.rank() == 1 && index_step == 0;
  if (one_index && lines >= 16 && lines < 1024 * threads && positions >= 16 * threads) {
    const bool serial = lines * x.count < 2 * gather_grain;
    parallel_for(0, positions, serial ? positions : positions / threads, some_positions, 1);
    return;
  }
  // Of lines beside each other a thread has whole cache lines, or each would read them all.
  const std::int64_t alignment = to_step == 1 ? 64 : rows_alignment(x.count);
  const std::int64_t grain = gather_grain / std::max<std::int64_t>(1, x.count);
  parallel_for(0, lines, std::max(alignment, grain), some_lines, alignment);
}

}  // namespace detail

/// `out[..., indices[..., j, ...], ...] = source[..., j, ...]`, combined with what stands there by `Rule` (see
/// formula/scatter.hpp), in the order of `j`: of several writes to one place the last one wins, and sums are rounded in
/// that order, whatever the number of threads; those of many floats in `double`. `indices` and `source` have strides
/// for the shape of `out` with `count` positions along `axis`.
template <class Rule, Element T, IntegerElement At>
void scatter_along(Backend, const program::Operand& source, const program::Operand& indices, std::int64_t count,
                   IndexedOperation operation, int axis, const program::Destination& out) {
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t positions = out.shape[axis];
  const Shape shape = without_axis(out.shape, axis);
  const Strides index_strides = without_axis(indices.strides, axis, shape);
  const std::int64_t lines = shape.count();
  const detail::ScatteredLines<T, At> x{
      program::Axes<3>({without_axis(source.strides, axis, shape), index_strides, without_axis(out.strides, axis, shape)},
                       shape),
      static_cast<const T*>(source.data), static_cast<const At*>(indices.data), static_cast<T*>(out.data),
      source.strides[a], indices.strides[a], out.strides[a], count, {{}, operation, axis, positions}};
  if constexpr (scattering::widens<Rule, T>) {
    if (count > scattering::most_narrow && lines > 0) {
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

}  // namespace situ::internal::cpu
