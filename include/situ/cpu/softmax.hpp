// SPDX-License-Identifier: Apache-2.0
// The softmax family on host devices: one thread completes each row while it is in the nearest caches.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/cpu/non_temporal.hpp>
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

}  // namespace detail

template <FloatingElement T>
void softmax_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  detail::map_rows(rows, in, out, row::Softmax{});
}

template <FloatingElement T>
void log_softmax_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  detail::map_rows(rows, in, out, row::LogSoftmax{});
}

template <FloatingElement T>
void layer_norm_along_rows(Backend, const program::Rows& rows, const T* in, double epsilon, const T* weight,
                           const T* bias, T* out) {
  detail::map_rows(rows, in, out, row::LayerNorm<T>{static_cast<compute_t<T>>(epsilon), weight, bias});
}

template <FloatingElement T>
void logsumexp_along_rows(Backend, const program::Rows& rows, const T* in, T* out) {
  detail::each_row<T>(rows, true, [=](std::int64_t i, bool) {
    out[i] = static_cast<T>(row::LogSumExp{}(Row<T>(in + i * rows.stride, rows.length)));
  });
}

/// Throws `IndexError` for a label that is not a column.
template <FloatingElement T>
void cross_entropy_along_rows(Backend, const program::Rows& rows, const T* in, const std::int64_t* labels, T* out) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (labels[i] < 0 || labels[i] >= rows.length)
      throw IndexError(index_message(IndexedOperation::cross_entropy, labels[i], 1, rows.length, i));
  }
  detail::each_row<T>(rows, true, [=](std::int64_t i, bool) {
    const T* const x = in + i * rows.stride;
    out[i] = static_cast<T>(row::CrossEntropy{}(Row<T>(x, rows.length), static_cast<compute_t<T>>(x[labels[i]])));
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
