// SPDX-License-Identifier: Apache-2.0
// The arithmetic sequence of `arange` and `linspace`: its formula, for every backend, and its length.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/narrow.hpp>
#include <situ/core/number_text.hpp>

namespace situ::internal {

/// Element `i` of `start, start + step, ...`. Floating elements are computed in `double` with one rounding and then
/// rounded to `T`, so that every device and compiler setting produces the same bits, and errors do not accumulate.
template <NumberElement T>
struct ArithmeticSequence {
  double start;
  double step;

  constexpr T operator()(std::int64_t i) const {
    return internal::lane::rounded_once<T>(internal::lane::fma(static_cast<double>(i), step, start));
  }
};
template <IntegerElement T>
struct ArithmeticSequence<T> {
  std::int64_t start;
  std::int64_t step;

  // unsigned: `i * step` may wrap although the element itself fits
  constexpr T operator()(std::int64_t i) const {
    return static_cast<T>(static_cast<std::uint64_t>(start) +
                          static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
  }
};

/// The number of elements of `start, start + step, ...` before `stop`. Throws `ValueError` for a step of 0, and for
/// arguments that are not finite.
[[nodiscard]] inline std::int64_t sequence_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step == 0) throw ValueError("arange: a step of 0 never reaches " + std::to_string(stop) + "; use 1 or -1");
  if (step > 0 ? start >= stop : start <= stop) return 0;
  // unsigned: the distance of two 64-bit integers need not fit in 63 bits, and neither does -step
  const auto low = static_cast<std::uint64_t>(step > 0 ? start : stop);
  const auto high = static_cast<std::uint64_t>(step > 0 ? stop : start);
  const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t length = (high - low - 1) / stride + 1;
  if (length > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw ShapeError("arange: from " + std::to_string(start) + " to " + std::to_string(stop) +
                     " there are more elements than 63 bits can count");
  }
  return static_cast<std::int64_t>(length);
}
[[nodiscard]] inline std::int64_t sequence_length(double start, double stop, double step) {
  const auto fail = [&](const char* why) {
    using internal::number_text;
    throw ValueError("arange: from " + number_text(start) + " to " + number_text(stop) + " by " + number_text(step) +
                     ": " + why);
  };
  if (step == 0) fail("a step of 0 never ends; use 1 or -1");
  // An infinite step is invalid too: its length would be 0 or 1, but its first element, start + 0 * infinity, is NaN.
  if (!std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step)) fail("the arguments must be finite");
  const double length = std::ceil((stop - start) / step);
  if (length >= 0x1p63) fail("the sequence does not end, or has more than 2^63 elements");
  return length > 0 ? static_cast<std::int64_t>(length) : 0;
}

}  // namespace situ::internal
