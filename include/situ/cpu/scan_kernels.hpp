// SPDX-License-Identifier: Apache-2.0
// Running sums and products of elements in memory: of whole rows one after the other, and of many columns at once. Both
// keep totals in registers, short rows and narrow columns by code for their exact number.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/narrow.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/device/cpu.hpp>
#include <situ/formula/fold.hpp>
#include <situ/plan/reduction.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The functions that the driver of a scan needs: a table for each operation and element type. Totals are 8-byte
/// numbers.
struct Scanner {
  int element_size;
  int result_size;
  /// Continues the scan of one row by `count` contiguous elements; `total` is the result so far, and is updated.
  void (*row)(const void* elements, void* out, std::int64_t count, void* total);
  /// Scans `rows` rows of `length` contiguous elements.
  void (*rows)(const void* elements, void* out, std::int64_t length, std::int64_t rows);
  /// Continues `columns` scans by `rows` rows, `pitch` elements apart; those of the result are `out_pitch` apart.
  void (*columns)(const void* elements, std::int64_t pitch, void* out, std::int64_t out_pitch, std::int64_t rows,
                  std::int64_t columns, void* totals);
  void (*start)(void* totals, std::int64_t count);
};

/// The kernels for `Fold`: `fold::Sum`, `fold::Prod`, or a running extremum (plan/running_extremum.hpp). Integers in `int64`, floats in `double`.
template <class Fold, Element Out>
struct ScanKernels {
  using T = typename Fold::Value;
  using Total = typename Fold::Total;
  static_assert(sizeof(Total) == 8);
  static constexpr int element_size = sizeof(T);
  static constexpr bool adds = std::same_as<Fold, fold::Sum<T>>;

  static void start(void* totals, std::int64_t count) {
    std::fill_n(static_cast<Total*>(totals), count, static_cast<Total>(Fold::identity));
  }

  static void row(const void* elements, void* out, std::int64_t count, void* total) {
    auto& sum = *static_cast<Total*>(total);
    sum = scan_row(static_cast<const T*>(elements), static_cast<Out*>(out), count, sum);
  }

  static void rows(const void* elements, void* out, std::int64_t length, std::int64_t rows) {
    const auto* x = static_cast<const T*>(elements);
    auto* y = static_cast<Out*>(out);
    if (length <= longest_short) return scan_short_rows(x, y, length, rows, short_lengths{});
    for (; rows > 0; --rows, x += length, y += length) scan_row(x, y, length, static_cast<Total>(Fold::identity));
  }

  static void columns(const void* elements, std::int64_t pitch, void* out, std::int64_t out_pitch, std::int64_t rows,
                      std::int64_t columns, void* totals) {
    const Area area{static_cast<const T*>(elements), pitch, static_cast<Out*>(out), out_pitch, rows,
                    static_cast<Total*>(totals)};
    std::int64_t column = 0;
    for (; column + lanes <= columns; column += lanes) scan_panel(area, column);
    // As many as are left, by ever narrower strips.
    [&]<std::int64_t... Width>(std::integer_sequence<std::int64_t, Width...>) {
      (static_cast<void>((columns - column) / Width > 0 ? (scan_strip<Width>(area, column), column += Width) : 0), ...);
    }(std::integer_sequence<std::int64_t, 8, 4, 2, 1>{});
  }

 private:
  static constexpr int lanes = 16;
  static constexpr std::int64_t longest_short = 8;
  using short_lengths = std::make_integer_sequence<std::int64_t, longest_short>;

  [[SITU_INLINE]] static Total scan_row(const T* x, Out* y, std::int64_t count, Total sum) {
    std::int64_t i = 0;
    // Sums of eight do not wait for the previous elements. Products do: eight factors may overflow although their
    // product with a small number before them does not.
    constexpr int group = adds ? 8 : 1;
    for (; i + group <= count; i += group) {
      std::array<Total, std::size_t{group}> part;
      part[0] = static_cast<Total>(x[i]);
      for (std::size_t j = 1; j < group; ++j)
        part[j] = Fold::combine(part[j - 1], static_cast<Total>(x[i + static_cast<std::int64_t>(j)]));
      for (std::size_t j = 0; j < group; ++j) {
        y[i + static_cast<std::int64_t>(j)] = reduction::rounded<Out>(Fold::combine(sum, part[j]));
      }
      sum = Fold::combine(sum, part[group - 1]);
    }
    for (; i < count; ++i) y[i] = reduction::rounded<Out>(sum = Fold::combine(sum, static_cast<Total>(x[i])));
    return sum;
  }

  /// Rows of `Length`, which do not wait for one another: the results of `scan_row`, whose groups begin with 0.
  template <std::int64_t Length>
  static void scan_rows_of(const T* x, Out* y, std::int64_t rows) {
    for (; rows > 0; --rows, x += Length, y += Length) {
      Total sum = static_cast<Total>(Fold::identity);
      for (std::int64_t i = 0; i < Length; ++i) {
        y[i] = reduction::rounded<Out>(sum = Fold::combine(sum, static_cast<Total>(x[i])));
      }
    }
  }
  template <std::int64_t... Less>
  static void scan_short_rows(const T* x, Out* y, std::int64_t length, std::int64_t rows,
                              std::integer_sequence<std::int64_t, Less...>) {
    (static_cast<void>(length == Less + 1 ? scan_rows_of<Less + 1>(x, y, rows) : void()), ...);
  }

  struct Area {
    const T* x;
    std::int64_t pitch;
    Out* y;
    std::int64_t out_pitch, rows;
    Total* totals;
  };

  /// `lanes` columns.
  static void scan_panel(const Area& area, std::int64_t column) {
    auto totals = load<Total, lanes>(area.totals + column);
    const T* x = area.x + column;
    Out* y = area.y + column;
    for (std::int64_t row = 0; row < area.rows; ++row, x += area.pitch, y += area.out_pitch) {
      totals = Fold::combine(totals, convert<Total>(load<T, lanes>(x)));
      if constexpr (std::same_as<Total, double> && sizeof(Out) == 2) store(y, lane::narrow_to_odd(totals));
      else store(y, convert<compute_t<Out>>(totals));
    }
    store(area.totals + column, totals);
  }

  /// Fewer columns, of a constant number.
  template <std::int64_t Width>
  static void scan_strip(const Area& area, std::int64_t column) {
    std::array<Total, std::size_t{Width}> totals;
    std::copy_n(area.totals + column, Width, totals.data());
    const T* x = area.x + column;
    Out* y = area.y + column;
    for (std::int64_t row = 0; row < area.rows; ++row, x += area.pitch, y += area.out_pitch) {
      for (std::size_t i = 0; i < Width; ++i) totals[i] = Fold::combine(totals[i], static_cast<Total>(x[i]));
      for (std::size_t i = 0; i < Width; ++i) y[i] = reduction::rounded<Out>(totals[i]);
    }
    std::copy_n(totals.data(), Width, area.totals + column);
  }
};

/// The table of an operation of plan/reduction.hpp for elements of type `T`. A function, so that kernels are compiled
/// where it is.
template <class Operation, Element T>
[[nodiscard]] const Scanner& scanner(Backend) {
  using Out = typename Operation::template result<T>;
  using Kernels = ScanKernels<typename Operation::template Fold<reduction::read_t<T>>, Out>;
  static constexpr Scanner table = {.element_size = Kernels::element_size,
                                    .result_size = sizeof(Out),
                                    .row = Kernels::row,
                                    .rows = Kernels::rows,
                                    .columns = Kernels::columns,
                                    .start = Kernels::start};
  return table;
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
