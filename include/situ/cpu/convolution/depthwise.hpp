// SPDX-License-Identifier: Apache-2.0
// Convolutions with one input channel and at most two output channels per group (depthwise) on host devices, as sums of
// shifted planes, or by direct loops: as products their matrices would have only one or two rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include <situ/cpu/convolution/depthwise_lanes.hpp>
#include <situ/cpu/convolution/shifted_sum.hpp>
#include <situ/cpu/convolution/window_run.hpp>
#include <situ/plan/window.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu::detail {

[[nodiscard]] inline bool is_depthwise(const program::Convolution& c) {
  return c.in_channels == 1 && c.out_channels <= 2;
}

/// `f(i, j, k)` for element (i, j) of a kernel, which is number k.
template <class F>
void for_each_element(const program::Window2d& window, const F& f) {
  for (std::int64_t k = 0; k < window.kernel(); ++k) f(k / window.width.kernel, k % window.width.kernel, k);
}

/// `f(out, in, count)` for every row of windows that has element (i, j) in the image: the positions of the first of
/// `count` windows in the result, and of its element in the image; those of the next are one stride further.
template <class F>
void for_each_row(const program::Window2d& window, std::int64_t i, std::int64_t j, const F& f) {
  const WindowRun run(window, 0, window.height.out, i, j);
  std::int64_t in = run.first;
  for (std::int64_t row = run.row; row < run.end_row; ++row, in += window.height.stride * window.width.in) {
    f(row * window.width.out + run.begin, in, run.end - run.begin);
  }
}

/// `f(plane)` for `count` planes with `work` multiplications each, on all threads.
template <class F>
void for_each_plane_of(std::int64_t count, std::int64_t work, const F& f) {
  parallel_for(
      0, count, (std::int64_t{1} << 15) / std::max<std::int64_t>(1, work),
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t plane = from; plane < to; ++plane) f(plane);
      },
      1);
}

template <class T>
void depthwise(const program::Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  if (is_in_lanes<T>(c)) return depthwise_in_lanes(c, x, weight, bias, y);
  const std::int64_t channels = c.groups * c.out_channels, step = c.window.width.stride;
  const ShiftedSum<T> sum(ShiftAxis::of_windows(c.window.height), ShiftAxis::of_windows(c.window.width));
  const bool shifts = c.window.width.kernel <= ShiftedSum<T>::most_across;
  for_each_plane_of(c.images * channels, c.window.windows() * c.depth(), [&](std::int64_t plane) {
    const std::int64_t channel = plane % channels;
    const T* const from = x + plane / c.out_channels * c.window.image();
    T* const to = y + plane * c.window.windows();
    const T begin = bias != nullptr ? bias[channel] : T(0);
    if (shifts) return sum(from, weight + channel * c.depth(), &begin, to);
    std::fill_n(to, c.window.windows(), begin);
    for_each_element(c.window, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const T factor = weight[channel * c.depth() + k];
      for_each_row(c.window, i, j, [=](std::int64_t out, std::int64_t in, std::int64_t count) {
        const T* const a = from + in;
        T* const b = to + out;
        if (step == 1) {
          for (std::int64_t o = 0; o < count; ++o) b[o] += factor * a[o];
        } else {
          for (std::int64_t o = 0; o < count; ++o) b[o] += factor * a[o * step];
        }
      });
    });
  });
}

template <class T>
void depthwise_input_gradient(const program::Convolution& c, const T* g, const T* weight, T* x) {
  if (is_in_lanes<T>(c)) return depthwise_input_gradient_in_lanes(c, g, weight, x);
  const std::int64_t step = c.window.width.stride;
  const ShiftedSum<T> sum(ShiftAxis::of_image(c.window.height), ShiftAxis::of_image(c.window.width));
  const bool shifts = step == 1 && c.window.height.stride == 1 && c.window.width.kernel <= ShiftedSum<T>::most_across;
  for_each_plane_of(c.images * c.groups, c.out_channels * c.window.windows() * c.depth(), [&](std::int64_t plane) {
    T* const to = x + plane * c.window.image();
    const T zero(0);
    if (!shifts) std::fill_n(to, c.window.image(), zero);
    for (std::int64_t channel = 0; channel < c.out_channels; ++channel) {
      const T* const from = g + (plane * c.out_channels + channel) * c.window.windows();
      const T* const factors = weight + (plane % c.groups * c.out_channels + channel) * c.depth();
      if (shifts) {
        sum(from, factors, channel == 0 ? &zero : nullptr, to);
        continue;
      }
      for_each_element(c.window, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const T factor = factors[k];
        for_each_row(c.window, i, j, [=](std::int64_t out, std::int64_t in, std::int64_t count) {
          const T* const a = from + out;
          T* const b = to + in;
          if (step == 1) {
            for (std::int64_t o = 0; o < count; ++o) b[o] += factor * a[o];
          } else {
            for (std::int64_t o = 0; o < count; ++o) b[o * step] += factor * a[o];
          }
        });
      });
    }
  });
}

template <class T>
void depthwise_weight_gradient(const program::Convolution& c, const T* g, const T* x, T* weight) {
  if (is_in_lanes<T>(c)) return depthwise_weight_gradient_in_lanes(c, g, x, weight);
  constexpr std::int64_t lanes = 8;  // sums side by side
  const std::int64_t channels = c.groups * c.out_channels, step = c.window.width.stride;
  for_each_plane_of(channels, c.images * c.window.windows() * c.depth(), [&](std::int64_t channel) {
    for_each_element(c.window, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double total = 0;
      for (std::int64_t n = 0; n < c.images; ++n) {
        const T* const gradient = g + (n * channels + channel) * c.window.windows();
        const T* const image = x + (n * c.groups + channel / c.out_channels) * c.window.image();
        T sums[lanes] = {};
        for_each_row(c.window, i, j, [&](std::int64_t out, std::int64_t in, std::int64_t count) {
          const T* const a = gradient + out;
          const T* const b = image + in;
          std::int64_t o = 0;
          if (step == 1) {
            T parts[lanes] = {};  // of this row: in registers
            for (; o + lanes <= count; o += lanes) {
              for (std::int64_t lane = 0; lane < lanes; ++lane) parts[lane] += a[o + lane] * b[o + lane];
            }
            for (std::int64_t lane = 0; lane < lanes; ++lane) sums[lane] += parts[lane];
          }
          for (; o < count; ++o) sums[o % lanes] += a[o] * b[o * step];
        });
        for (const T sum : sums) total += static_cast<double>(sum);
      }
      weight[channel * c.depth() + k] = static_cast<T>(total);
    });
  });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu::detail
