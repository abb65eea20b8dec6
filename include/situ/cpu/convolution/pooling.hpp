// SPDX-License-Identifier: Apache-2.0
// Pooling of images on host devices: a thread processes planes (one channel of one image).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/narrow.hpp>
#include <situ/cpu/lanes/lanes.hpp>
#include <situ/cpu/scratch.hpp>
#include <situ/cpu/short_copy.hpp>
#include <situ/cpu/shuffle.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/window.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

namespace detail {

/// `f(plane)` for all planes, on all threads.
template <class F>
void for_each_plane(const program::Pooling& p, const F& f) {
  const std::int64_t work = std::max<std::int64_t>(1, p.window.windows() * p.window.kernel());
  parallel_for(
      0, p.planes, (std::int64_t{1} << 14) / work,
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t plane = from; plane < to; ++plane) f(plane);
      },
      1);
}

/// `f(o, divisor, first, end, first column, end column)` for every window of a plane: the part of the image that it
/// reads.
template <class F>
void for_each_window(const program::Pooling& p, const F& f) {
  const program::WindowAxis& down = p.window.height;
  const program::WindowAxis& across = p.window.width;
  std::int64_t o = 0;
  for (std::int64_t row = 0; row < down.out; ++row) {
    const std::int64_t line = std::max<std::int64_t>(0, down.first(row));
    const std::int64_t end_line = std::min(down.in, down.first(row) + down.kernel);
    for (std::int64_t column = 0; column < across.out; ++column, ++o) {
      f(o, p.divisor(row, column), line, end_line, std::max<std::int64_t>(0, across.first(column)),
        std::min(across.in, across.first(column) + across.kernel));
    }
  }
}

/// `Size` elements that are `stride` apart, as floats.
template <class T, int Size>
[[SITU_INLINE]] inline Lanes<compute_t<T>, Size> load_apart(const T* from, std::int64_t stride) {
  using Result = Lanes<compute_t<T>, Size>;
  if (stride == 1 || Size == 1) return load<T, Size>(from);
  if constexpr (Size > 1) {
    static_assert(Result::registers == 1);
    if (stride == 2) {  // no element after the last is read
      const auto low = load<T, Size>(from).part[0], high = load<T, Size>(from + Size - 1).part[0];
      Result result;
      [&]<int... At>(std::integer_sequence<int, At...>) SITU_INLINE_LAMBDA {
        result.part[0] = shuffle<(2 * At < Size ? 2 * At : 2 * At + 1)...>(low, high);
      }(std::make_integer_sequence<int, Size>{});
      return result;
    }
  }
  T all[std::size_t{Size}];
  for (int i = 0; i < Size; ++i) all[i] = from[i * stride];
  return load<T, Size>(all);
}

/// The elements read by the windows of a row that have all columns in the image; distances in elements of the image.
struct WindowRow {
  std::int64_t first;  // position of the first element of the first window
  std::int64_t lines, line, columns, column, window;

  WindowRow(const program::Window2d& of, std::int64_t row, std::int64_t begin)
      : lines(of.height.end_element(row) - of.height.first_element(row)),
        line(of.height.dilation * of.width.in),
        columns(of.width.kernel),
        column(of.width.dilation),
        window(of.width.stride) {
    first = of.height.first(row) * of.width.in + of.height.first_element(row) * line + of.width.first(begin);
  }
};

/// The largest elements of `Size` windows of a row from `o` on, and their positions.
template <class T, int Size>
[[SITU_INLINE]] inline void largest_of_windows(const WindowRow& row, const T* image, std::int64_t o, T* values,
                                               std::int32_t* positions) {
  using Value = Lanes<compute_t<T>, Size>;
  using Position = Lanes<std::int32_t, Size>;
  const std::int64_t first = row.first + o * row.window;
  Value largest(-std::numeric_limits<compute_t<T>>::infinity());
  Position position(static_cast<std::int32_t>(first));
  for (std::int64_t i = 0, line = first; i < row.lines; ++i, line += row.line) {
    for (std::int64_t j = 0, at = line; j < row.columns; ++j, at += row.column) {
      const Value value = load_apart<T, Size>(image + at, row.window);
      const auto larger = (value > largest) | (value != value);
      largest = select(larger, value, largest);
      position = select(larger, Position(static_cast<std::int32_t>(at)), position);
    }
  }
  store(values + o, largest);
  if (positions == nullptr) return;
  alignas(64) static constexpr std::int32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Position apart = load<std::int32_t, Size>(numbers) * Position(static_cast<std::int32_t>(row.window));
  store(positions + o, position + apart);
}

}  // namespace detail

/// The largest element of each window, and unless `positions` is null its position in the image: the first of equal
/// ones; -1 and minus infinity for a window that reads nothing. NaN counts as the largest.
template <FloatingElement T>
void max_pool(Backend, const program::Pooling& p, const T* x, T* y, std::int32_t* positions) {
  using C = compute_t<T>;
  detail::for_each_plane(p, [&](std::int64_t plane) {
    const program::WindowAxis& down = p.window.height;
    const program::WindowAxis& across = p.window.width;
    const T* const image = x + plane * p.window.image();
    // The windows with all columns in the image.
    const std::int64_t begin = across.first_window(0), end = std::max(begin, across.end_window(across.kernel - 1));
    for (std::int64_t row = 0; row < down.out; ++row) {
      T* const values = y + plane * p.window.windows() + row * across.out;
      std::int32_t* const at = positions == nullptr ? nullptr : positions + (values - y);
      const auto largest_one = [&](std::int64_t o) {
        const auto largest = program::largest_of_window<C>(
            p.window, row, o, [image](std::int64_t position) { return static_cast<C>(image[position]); });
        values[o] = static_cast<T>(largest.value);
        if (at != nullptr) at[o] = static_cast<std::int32_t>(largest.position);
      };
      const detail::WindowRow all(p.window, row, begin);
      const std::int64_t from = all.lines > 0 ? begin : across.out, to = all.lines > 0 ? end : across.out;
      for (std::int64_t o = 0; o < from; ++o) largest_one(o);
      detail::for_short_row<C>(to - from, [=]<int Size>(std::int64_t o) SITU_INLINE_LAMBDA {
        detail::largest_of_windows<T, Size>(all, image, o, values + from, at == nullptr ? nullptr : at + from);
      });
      for (std::int64_t o = to; o < across.out; ++o) largest_one(o);
    }
  });
}

namespace detail {

/// The averages, summed in `Sum`.
template <class Sum, class T>
void average_windows(const program::Pooling& p, const T* x, T* y) {
  using C = compute_t<T>;
  for_each_plane(p, [&](std::int64_t plane) {
    const T* const image = x + plane * p.window.image();
    T* const to = y + plane * p.window.windows();
    for_each_window(p, [&](std::int64_t o, std::int64_t divisor, std::int64_t line, std::int64_t end_line,
                           std::int64_t column, std::int64_t end_column) {
      Sum sum(0);
      for (std::int64_t i = line; i < end_line; ++i) {
        const T* const row = image + i * p.window.width.in;
        for (std::int64_t j = column; j < end_column; ++j) sum += static_cast<Sum>(static_cast<C>(row[j]));
      }
      to[o] = lane::rounded_once<T>(sum / static_cast<Sum>(divisor));
    });
  });
}

/// The gradient of an average, summed in `Sum`: `image` has an element for each element of a plane.
template <class Sum, class T>
void add_shares(const program::Pooling& p, const T* g, Sum* image) {
  std::fill_n(image, p.window.image(), Sum(0));
  for_each_window(p, [&](std::int64_t o, std::int64_t divisor, std::int64_t line, std::int64_t end_line,
                         std::int64_t column, std::int64_t end_column) {
    const Sum share = static_cast<Sum>(g[o]) / static_cast<Sum>(divisor);
    for (std::int64_t i = line; i < end_line; ++i) {
      for (std::int64_t j = column; j < end_column; ++j) image[i * p.window.width.in + j] += share;
    }
  });
}

/// The gradient of a maximum.
template <class Sum, class T>
void add_to_largest(const program::Pooling& p, const T* g, const std::int32_t* positions, Sum* image) {
  std::fill_n(image, p.window.image(), Sum(0));
  for (std::int64_t o = 0; o < p.window.windows(); ++o) {
    if (positions[o] >= 0) image[positions[o]] += static_cast<Sum>(g[o]);
  }
}

struct WideGradient;

/// `add(plane, image)` for all planes of x, in a `double` buffer if an element is in too many windows.
template <class T, class Add>
void for_each_gradient(const program::Pooling& p, T* x, const Add& add) {
  for_each_plane(p, [&](std::int64_t plane) {
    T* const image = x + plane * p.window.image();
    if (std::same_as<T, double> || !p.sums_many()) return add(plane, image);
    double* const wide = scratch<WideGradient, double>(p.window.image());
    add(plane, wide);
    for (std::int64_t i = 0; i < p.window.image(); ++i) image[i] = static_cast<T>(wide[i]);
  });
}

}  // namespace detail

/// The average of each window. A large window is summed in `double`.
template <FloatingElement T>
void average_pool(Backend, const program::Pooling& p, const T* x, T* y) {
  if (p.sums_many()) detail::average_windows<double>(p, x, y);
  else detail::average_windows<compute_t<T>>(p, x, y);
}

/// The gradient of `x` from that of y, `g`: each element goes to the position of the largest element.
template <class T>
  requires OneOf<T, float, double>
void max_pool_gradient(Backend, const program::Pooling& p, const T* g, const std::int32_t* positions, T* x) {
  const std::int64_t windows = p.window.windows();
  detail::for_each_gradient(p, x, [&](std::int64_t plane, auto* image) {
    detail::add_to_largest(p, g + plane * windows, positions + plane * windows, image);
  });
}

/// The gradient of `x` from that of y, `g`.
template <class T>
  requires OneOf<T, float, double>
void average_pool_gradient(Backend, const program::Pooling& p, const T* g, T* x) {
  detail::for_each_gradient(
      p, x, [&](std::int64_t plane, auto* image) { detail::add_shares(p, g + plane * p.window.windows(), image); });
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
