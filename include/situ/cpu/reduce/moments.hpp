// SPDX-License-Identifier: Apache-2.0
// The driver of `fold::Moments` on SIMD vectors: `var` and `stddev`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/reduce/kernels.hpp>
#include <situ/cpu/reduce/lane_fold.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// The shift is an element of the part itself: its own distance from the mean is in the result, so the loss of
/// precision is at most a factor of the number of elements.
template <class T>
struct LaneFold<fold::Moments<T>> {
  using Moments = fold::Moments<T>;
  static constexpr int element_size = sizeof(T);
  static constexpr std::int64_t state_bytes = 64;
  static constexpr int width = 4 * vector_bytes / 8;  // two times four registers of sums

  static void start(void* state) { *static_cast<Moments*>(state) = {}; }

  static void row(void* state, const void* elements, std::int64_t count, std::int64_t) {
    const auto* x = static_cast<const T*>(elements);
    using Doubles = Lanes<double, width>;
    const auto shift = static_cast<double>(x[0]);
    const Doubles shifts(shift);
    Doubles sums(0.0);
    Doubles squares(0.0);
    std::int64_t i = 0;
    for (; i + width <= count; i += width) {
      const Doubles distance = convert<double>(load<T, width>(x + i)) - shifts;
      sums += distance;
      squares = mul_add(distance, distance, squares);
    }
    if (i < count) {
      alignas(64) std::array<T, width> padded;
      padded.fill(x[0]);
      std::memcpy(padded.data(), x + i, static_cast<std::size_t>(count - i) * sizeof(T));
      const Doubles distance = convert<double>(load<T, width>(padded.data())) - shifts;
      sums += distance;
      squares = mul_add(distance, distance, squares);
    }
    const Moments part = Moments::from_shifted(static_cast<double>(count), shift, total(sums), total(squares));
    auto& moments = *static_cast<Moments*>(state);
    if (moments.count == 0) moments = part;
    else moments.merge(part);
  }

  static double total(const Lanes<double, width>& lanes) {
    return detail::combined([](const auto& a, const auto& b) SITU_INLINE_LAMBDA { return a + b; }, lanes);
  }

  static void merge(void* state, const void* following) {
    static_cast<Moments*>(state)->merge(*static_cast<const Moments*>(following));
  }

  template <class Operation, Element Out>
  static void finish(const void* state, const void* operation, std::int64_t count, void* out) {
    const double squares = static_cast<const Moments*>(state)->squares;
    *static_cast<Out*>(out) = static_cast<const Operation*>(operation)->template finish<Out>(squares, count);
  }

  template <class Operation, Element Out>
  static void rows(const void* elements, const void* operation, std::int64_t rows, std::int64_t count, void* out) {
    for (std::int64_t i = 0; i < rows; ++i) {
      Moments state;
      start(&state);
      row(&state, static_cast<const T*>(elements) + i * count, count, 0);
      finish<Operation, Out>(&state, operation, count, static_cast<Out*>(out) + i);
    }
  }

  // A panel: counts, shifts (means once it is complete), sums, and sums of squares.
  static constexpr std::int64_t count_offset = 0;
  static constexpr std::int64_t mean_offset = 8;
  static constexpr std::int64_t sum_offset = 16;
  static constexpr std::int64_t squares_offset = 24;
  static constexpr std::int64_t column_bytes = 32;
  static constexpr bool folds = true;

  static void panel_start(Panel& panel, std::int64_t columns) {
    const std::int64_t padded = (columns + panel_alignment - 1) / panel_alignment * panel_alignment;
    for (const std::int64_t offset : {count_offset, mean_offset, sum_offset, squares_offset}) {
      std::fill_n(panel.array<double>(offset), padded, 0.0);
    }
  }

  static void panel_rows(Panel& panel, const void* const* rows, int count, std::int64_t columns, std::int64_t) {
    auto* counts = panel.array<double>(count_offset);
    auto* shifts = panel.array<double>(mean_offset);
    auto* sums = panel.array<double>(sum_offset);
    auto* squares = panel.array<double>(squares_offset);
    if (!panel.started) {
      for (std::int64_t i = 0; i < columns; ++i) shifts[i] = static_cast<double>(static_cast<const T*>(rows[0])[i]);
      panel.started = true;
    }
    using Doubles = Lanes<double, width>;
    std::int64_t i = 0;
    for (; i + width <= columns; i += width) {
      const Doubles shift = load<double, width>(shifts + i);
      Doubles sum = load<double, width>(sums + i);
      Doubles square = load<double, width>(squares + i);
      for (int r = 0; r < count; ++r) {
        const Doubles distance = convert<double>(load<T, width>(static_cast<const T*>(rows[r]) + i)) - shift;
        sum += distance;
        square = mul_add(distance, distance, square);
      }
      store(sums + i, sum);
      store(squares + i, square);
      store(counts + i, load<double, width>(counts + i) + Doubles(static_cast<double>(count)));
    }
    for (; i < columns; ++i) {
      for (int r = 0; r < count; ++r) {
        const double distance = static_cast<double>(static_cast<const T*>(rows[r])[i]) - shifts[i];
        sums[i] += distance;
        squares[i] = lane::mul_add(distance, distance, squares[i]);
      }
      counts[i] += count;
    }
  }

  static void panel_flush(Panel& panel, std::int64_t columns, bool last) {
    if (!last) return;
    for (std::int64_t i = 0; i < columns; ++i) {
      set(panel, i,
          Moments::from_shifted(panel.array<double>(count_offset)[i], panel.array<double>(mean_offset)[i],
                                panel.array<double>(sum_offset)[i], panel.array<double>(squares_offset)[i]));
    }
  }

  static Moments get(const Panel& panel, std::int64_t i) {
    return {panel.array<double>(count_offset)[i], panel.array<double>(mean_offset)[i],
            panel.array<double>(squares_offset)[i]};
  }
  static void set(Panel& panel, std::int64_t i, const Moments& moments) {
    panel.array<double>(count_offset)[i] = moments.count;
    panel.array<double>(mean_offset)[i] = moments.mean;
    panel.array<double>(squares_offset)[i] = moments.squares;
  }

  static void panel_merge(Panel& panel, std::int64_t to, const Panel& following, std::int64_t from,
                          std::int64_t columns) {
    for (std::int64_t i = 0; i < columns; ++i) {
      Moments moments = get(panel, to + i);
      moments.merge(get(following, from + i));
      set(panel, to + i, moments);
    }
  }

  template <class Operation, Element Out>
  static void panel_finish(const Panel& panel, std::int64_t columns, const void* operation, std::int64_t count,
                           void* out) {
    const auto* squares = panel.array<double>(squares_offset);
    const Operation local = *static_cast<const Operation*>(operation);
    for (std::int64_t i = 0; i < columns; ++i) {
      static_cast<Out*>(out)[i] = local.template finish<Out>(squares[i], count);
    }
  }
};

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
