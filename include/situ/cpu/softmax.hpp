// SPDX-License-Identifier: Apache-2.0
// softmax, log_softmax, logsumexp and layer normalisation of contiguous rows: each row is finished while it is in the
// nearest caches. Eigen's partial reductions and broadcasts, the alternative, are 7 to 11 times slower.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include <situ/core/dtype.hpp>
#include <situ/cpu/non_temporal.hpp>
#include <situ/cpu/row_passes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::cpu {

namespace detail {

struct SoftmaxRow;

/// Longer rows do not stay in the second-level cache, where a streamed softmax keeps its exponentials.
inline constexpr std::int64_t longest_kept_row = 65536;

/// Calls `row(i, streamed)` for all rows, on all threads.
template <class T, class F>
void each_row(std::int64_t rows, std::int64_t n, bool in_place, F row) {
  const bool streamed =
      !in_place && n <= longest_kept_row && n * static_cast<std::int64_t>(sizeof(T)) >= 1024 &&
      rows * n * static_cast<std::int64_t>(sizeof(T)) >= large_output_bytes();
  constexpr std::int64_t grain = 8192;  // elements worth a thread
  parallel_for(
      0, rows, std::max<std::int64_t>(1, grain / std::max<std::int64_t>(n, 1)),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) row(i, streamed);
        if (streamed) stream_fence();
      },
      1);
}

/// The sum of exp(x - shift) over a row.
template <class C>
C row_exp_sum(const C* in, std::int64_t n, C shift) {
  using L = RowLanes<C>;
  return row_sum<C>(in, n, -std::numeric_limits<C>::infinity(),
                    [=](L x, std::int64_t, auto) __attribute__((always_inline)) { return math::exp(x - L(shift)); });
}

template <class C>
C row_mean(const C* in, std::int64_t n) {
  using L = RowLanes<C>;
  return row_sum<C, row_chains<C>>(in, n, C(0),
                                   [](L x, std::int64_t, auto) __attribute__((always_inline)) { return x; }) /
         static_cast<C>(n);
}

/// The mean of (x - center)^2.
template <class C>
C row_square_mean(const C* in, std::int64_t n, C center) {
  using L = RowLanes<C>;
  return row_sum<C, row_chains<C>>(in, n, center,
                                   [=](L x, std::int64_t, auto) __attribute__((always_inline)) {
                                     const L difference = x - L(center);
                                     return difference * difference;
                                   }) /
         static_cast<C>(n);
}

struct WidenedRow;

/// A row of 16-bit floats as `float`, valid until this thread widens the next one. The kernels below have no form of
/// their own for these types: it would be no faster, and each takes seconds to compile under the sanitizers.
template <class T>
float* widen_row(const T* in, std::int64_t n) {
  float* wide = scratch<WidenedRow, float>(n);
  row_map<T>(in, wide, n, false, [](auto x, std::int64_t, auto) __attribute__((always_inline)) { return x; });
  return wide;
}

template <class T>
void narrow_row(const float* in, T* out, std::int64_t n, bool streamed) {
  row_map<float>(in, out, n, streamed, [](auto x, std::int64_t, auto) __attribute__((always_inline)) { return x; });
}

}  // namespace detail

/// out[i] = exp(x[i] - max x) / sum of exp(x - max x) for one row of n elements; `in` may be `out`. 16-bit floats are
/// computed in `float`. A row with NaN or plus infinity, or of minus infinities only, becomes NaN, as in PyTorch.
/// `streamed` writes past the cache (see `stream_fence`).
template <FloatingElement T>
void softmax_row(const T* in, T* out, std::int64_t n, bool streamed = false) {
  using C = compute_t<T>;
  if constexpr (!std::same_as<T, C>) {
    float* wide = detail::widen_row(in, n);
    softmax_row(wide, wide, n);
    detail::narrow_row(wide, out, n, streamed);
  } else {
    using L = detail::RowLanes<C>;
    const L largest(detail::row_max(in, n));
    C* powers = streamed ? scratch<detail::SoftmaxRow, C>(n) : out;  // exp(x - max)
    const C sum = detail::row_sum<C>(in, n, -std::numeric_limits<C>::infinity(),
                                     [=](L x, std::int64_t i, auto whole) __attribute__((always_inline)) {
                                       const L power = math::exp(x - largest);
                                       if constexpr (whole) store(powers + i, power);
                                       else detail::store_row_tail<C, C>(powers + i, power, n - i);
                                       return power;
                                     });
    const L factor(C(1) / sum);
    detail::row_map<C>(powers, out, n, streamed,
                       [=](L x, std::int64_t, auto) __attribute__((always_inline)) { return x * factor; });
  }
}

/// log(sum of exp(x)) of one row, in the type it is computed in, without overflow. Minus infinity for an empty row or
/// one of minus infinities, plus infinity if there is one, NaN if there is one.
template <FloatingElement T>
[[nodiscard]] compute_t<T> logsumexp_row(const T* in, std::int64_t n) {
  using C = compute_t<T>;
  if constexpr (!std::same_as<T, C>) {
    return logsumexp_row(detail::widen_row(in, n), n);
  } else {
    const C largest = detail::row_max(in, n);
    const C shift = std::isinf(largest) ? C(0) : largest;
    return math::log(detail::row_exp_sum(in, n, shift)) + shift;
  }
}

/// out[i] = x[i] - max x - log(sum of exp(x - max x)) for one row; `in` may be `out`. NaN where `softmax_row` gives it.
template <FloatingElement T>
void log_softmax_row(const T* in, T* out, std::int64_t n, bool streamed = false) {
  using C = compute_t<T>;
  if constexpr (!std::same_as<T, C>) {
    float* wide = detail::widen_row(in, n);
    log_softmax_row(wide, wide, n);
    detail::narrow_row(wide, out, n, streamed);
  } else {
    using L = detail::RowLanes<C>;
    const C largest = detail::row_max(in, n);
    const C logarithm = math::log(detail::row_exp_sum(in, n, largest));
    detail::row_map<C>(in, out, n, streamed, [=](L x, std::int64_t, auto) __attribute__((always_inline)) {
      return (x - L(largest)) - L(logarithm);
    });
  }
}

/// out[i] = (x[i] - mean) / sqrt(variance + epsilon) * weight[i] + bias[i] for one row; the variance divides by n.
/// `weight` and `bias` have n elements or are null; `in` may be `out`. Ba, Kiros, Hinton, "Layer Normalization", 2016.
template <FloatingElement T>
void layer_norm_row(const T* in, T* out, std::int64_t n, compute_t<T> epsilon, const T* weight, const T* bias,
                    bool streamed = false) {
  using C = compute_t<T>;
  using L = detail::RowLanes<C>;
  const C* row;
  if constexpr (std::same_as<T, C>) row = in;
  else row = detail::widen_row(in, n);
  const C mean = detail::row_mean(row, n);
  const C variance = detail::row_square_mean(row, n, mean);
  const C factor = C(1) / std::sqrt(variance + epsilon);
  const auto parameter = [=](const T* values, std::int64_t i, auto whole) __attribute__((always_inline)) -> L {
    // A lane that is cut short by the end of a streamed piece may lie anywhere in the row.
    if constexpr (whole) return load<T, 16>(values + i);
    else return detail::load_row_tail<T, C>(values + i, std::min(n - i, detail::row_lane), C(0));
  };
  detail::row_map<C>(row, out, n, streamed, [=](L x, std::int64_t i, auto whole) __attribute__((always_inline)) {
    L y = (x - L(mean)) * L(factor);
    if (weight != nullptr) y = y * parameter(weight, i, whole);
    if (bias != nullptr) y = y + parameter(bias, i, whole);
    return y;
  });
}

/// `softmax_row` for `rows` rows that begin `in_stride` elements apart; the results follow one another.
template <FloatingElement T>
void softmax_rows(std::int64_t rows, std::int64_t n, const T* in, std::int64_t in_stride, T* out) {
  detail::each_row<T>(rows, n, in == out, [=](std::int64_t i, bool streamed) {
    softmax_row(in + i * in_stride, out + i * n, n, streamed);
  });
}

/// `log_softmax_row` for many rows.
template <FloatingElement T>
void log_softmax_rows(std::int64_t rows, std::int64_t n, const T* in, std::int64_t in_stride, T* out) {
  detail::each_row<T>(rows, n, in == out, [=](std::int64_t i, bool streamed) {
    log_softmax_row(in + i * in_stride, out + i * n, n, streamed);
  });
}

/// `logsumexp_row` for many rows: one element each.
template <FloatingElement T>
void logsumexp_rows(std::int64_t rows, std::int64_t n, const T* in, std::int64_t in_stride, T* out) {
  detail::each_row<T>(rows, n, true, [=](std::int64_t i, bool) {
    out[i] = static_cast<T>(logsumexp_row(in + i * in_stride, n));
  });
}

/// `layer_norm_row` for many rows.
template <FloatingElement T>
void layer_norm_rows(std::int64_t rows, std::int64_t n, const T* in, std::int64_t in_stride, compute_t<T> epsilon,
                     const T* weight, const T* bias, T* out) {
  detail::each_row<T>(rows, n, in == out, [=](std::int64_t i, bool streamed) {
    layer_norm_row(in + i * in_stride, out + i * n, n, epsilon, weight, bias, streamed);
  });
}

}  // namespace situ::internal::cpu
