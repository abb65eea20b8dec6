// SPDX-License-Identifier: Apache-2.0
// The softmax family on host devices: one thread completes each row while it is in the nearest caches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/cpu/short_rows.hpp>
#include <situ/cpu/softmax_lanes.hpp>
#include <situ/device/cpu.hpp>
#include <situ/formula/softmax.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/softmax.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// Longer rows do not stay in the second-level cache, where a streamed softmax keeps its exponentials.
inline constexpr std::int64_t longest_kept_row = 65536;

/// Calls `row(i, streamed)` for all rows, on all threads.
template <class T, class F>
void each_row(const program::Rows& rows, bool in_place, F row) {
  const std::int64_t n = rows.length;
  const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(T));
  const bool streamed =
      !in_place && n <= longest_kept_row && bytes >= 1024 && rows.rows * bytes >= large_output_bytes();
  constexpr std::int64_t grain = 8192;  // elements that justify a thread
  parallel_for(
      0, rows.rows, std::max<std::int64_t>(1, grain / std::max<std::int64_t>(n, 1)),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) row(i, streamed);
        if (streamed) stream_fence();
      },
      1);
}

/// `operation` on each row; the results follow one another.
template <class T, class Operation>
void map_rows(const program::Rows& rows, const T* in, T* out, const Operation& operation) {
  if (rows.length <= row_lane) {
    return each_row<T>(rows, true, [=](std::int64_t i, bool) {
      LaneRow<T> row(in + i * rows.stride, out + i * rows.length, rows.length);
      operation(row);
    });
  }
  each_row<T>(rows, in == out, [=](std::int64_t i, bool streamed) {
    Row<T> row(in + i * rows.stride, out + i * rows.length, rows.length, streamed);
    operation(row);
  });
}

/// Calls `f(rows, first)` for sixteen short rows at a time, the first of which is `first`.
template <class T, class F>
void each_short_rows(const program::Rows& rows, const T* in, T* out, const F& f) {
  constexpr std::int64_t together = ShortRows<T>::together;
  const program::Rows groups{(rows.rows + together - 1) / together, rows.length * together, 0};
  each_row<T>(groups, true, [=](std::int64_t group, bool) {
    const std::int64_t first = group * together;
    ShortRows<T> some(in + first * rows.stride, rows.stride, out + first * rows.length, rows.length,
                      std::min(together, rows.rows - first));
    f(some, first);
  });
}

/// Writes the result of each row: all lanes, or the first `count` if fewer rows are left.
template <class T>
void store_rows(T* out, const RowLanes<compute_t<T>>& lanes, std::int64_t count) {
  if (count >= row_lane) store(out, lanes);
  else store_row_tail<T, compute_t<T>>(out, lanes, count);
}

}  // namespace detail

template <FloatingElement T>
void softmax_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  if (rows.length <= ShortRows<T>::longest) {
    return detail::each_short_rows(rows, in, out, [](auto& some, std::int64_t) { row::Softmax{}(some); });
  }
  detail::map_rows(rows, in, out, row::Softmax{});
}

template <FloatingElement T>
void log_softmax_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  if (rows.length <= ShortRows<T>::longest) {
    return detail::each_short_rows(rows, in, out, [](auto& some, std::int64_t) { row::LogSoftmax{}(some); });
  }
  detail::map_rows(rows, in, out, row::LogSoftmax{});
}

template <FloatingElement T>
void layer_norm_along_rows(Backend, const program::Rows& rows, const T* in, double epsilon, const T* weight,
                           const T* bias, T* out) {
  detail::map_rows(rows, in, out, row::LayerNorm<T>{static_cast<compute_t<T>>(epsilon), weight, bias});
}

template <FloatingElement T>
void logsumexp_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  if (rows.length <= ShortRows<T>::longest) {
    return detail::each_short_rows(rows, in, out, [=](const auto& some, std::int64_t first) {
      detail::store_rows(out + first, row::LogSumExp{}(some), rows.rows - first);
    });
  }
  detail::each_row<T>(rows, true, [=](std::int64_t i, bool) {
    const T* const x = in + i * rows.stride;
    const row::LogSumExp logsumexp;
    if (rows.length <= detail::row_lane) out[i] = static_cast<T>(logsumexp(LaneRow<T>(x, nullptr, rows.length)));
    else out[i] = static_cast<T>(logsumexp(Row<T>(x, rows.length)));
  });
}

/// Throws `IndexError` for a label that is not a column.
template <FloatingElement T>
void cross_entropy_along_rows(Backend, const program::Rows& rows, const T* in, const std::int64_t* labels, T* out) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (labels[i] < 0 || labels[i] >= rows.length)
      throw IndexError(index_message(IndexedOperation::cross_entropy, labels[i], 1, rows.length, i));
  }
  using C = compute_t<T>;
  const auto labelled = [=](std::int64_t i) { return static_cast<C>(in[i * rows.stride + labels[i]]); };
  if (rows.length <= ShortRows<T>::longest) {
    return detail::each_short_rows(rows, in, out, [=](const auto& some, std::int64_t first) {
      alignas(64) std::array<C, std::size_t{ShortRows<T>::together}> x;
      for (std::int64_t row = 0; row < ShortRows<T>::together; ++row)
        x[static_cast<std::size_t>(row)] = labelled(std::min(first + row, rows.rows - 1));
      detail::store_rows(out + first, row::CrossEntropy{}(some, load<C, 16>(x.data())), rows.rows - first);
    });
  }
  detail::each_row<T>(rows, true, [=](std::int64_t i, bool) {
    const T* const x = in + i * rows.stride;
    const row::CrossEntropy loss;
    if (rows.length <= detail::row_lane) {
      out[i] = static_cast<T>(loss(LaneRow<T>(x, nullptr, rows.length), labelled(i)));
    } else {
      out[i] = static_cast<T>(loss(Row<T>(x, rows.length), labelled(i)));
    }
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
