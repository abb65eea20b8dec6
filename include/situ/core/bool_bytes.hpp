// SPDX-License-Identifier: Apache-2.0
// Checks bytes from other programs before they are read as `bool`: with any value but 0 and 1, sums would be wrong and
// the read itself is undefined behavior.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <situ/core/config.hpp>
#include <situ/core/shape.hpp>

namespace situ::internal {

/// The index of the first of `count` bytes, `step` apart, that is neither 0 nor 1; `count` if all are valid.
[[nodiscard]] inline std::int64_t first_no_bool(const unsigned char* bytes, std::int64_t count,
                                                std::int64_t step) noexcept {
  constexpr std::int64_t block = 4096;  // checked at once, in a loop of full registers
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t end = count - begin < block ? count : begin + block;
    unsigned char bits = 0;
    if (step == 1) {
      for (std::int64_t i = begin; i < end; ++i) bits |= bytes[i];
    } else {
      for (std::int64_t i = begin; i < end; ++i) bits |= bytes[i * step];
    }
    if (bits <= 1) continue;
    for (std::int64_t i = begin; i < end; ++i) {
      if (bytes[i * step] > 1) return i;
    }
  }
  return count;
}

/// The error text for the first element that is neither 0 nor 1, if there is one: "element (1, 2) of shape (3, 4) is
/// the byte 255; ...". The element (0, 0, ...) is at `first`; elements that a stride of 0 repeats are checked once.
[[nodiscard]] inline std::optional<std::string> no_bool_among(const void* first, const Shape& shape,
                                                              const Strides& strides) {
  if (shape.count() == 0) return std::nullopt;
  const auto* const bytes = static_cast<const unsigned char*>(first);
  const int last = shape.rank() - 1;
  Shape seen = shape;
  for (int axis = 0; axis <= last; ++axis) {
    if (strides[static_cast<std::size_t>(axis)] == 0) seen.set(axis, 1);
  }
  const auto message = [&](Shape at, unsigned value) {
    return "element " + at.to_string() + " of shape " + shape.to_string() + " is the byte " + std::to_string(value) +
           ", and a bool is 0 or 1; take the bytes as uint8, and compare: x != 0";
  };
  Shape at = shape;
  for (int axis = 0; axis <= last; ++axis) at.set(axis, 0);
  if (is_row_major(seen, strides)) {
    std::int64_t place = first_no_bool(bytes, seen.count(), 1);
    if (place == seen.count()) return std::nullopt;
    const unsigned value = bytes[place];
    for (int axis = last; axis >= 0; --axis) {
      at.set(axis, place % seen[axis]);
      place /= seen[axis];
    }
    return message(at, value);
  }
  for (;;) {  // line by line of the last axis
    const unsigned char* line = bytes;
    for (int axis = 0; axis < last; ++axis) line += at[axis] * strides[static_cast<std::size_t>(axis)];
    const std::int64_t step = strides[static_cast<std::size_t>(last)];
    if (const std::int64_t place = first_no_bool(line, seen[last], step); place != seen[last]) {
      at.set(last, place);
      return message(at, line[place * step]);
    }
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      if (at[axis] + 1 < seen[axis]) break;
      at.set(axis, 0);
    }
    if (axis < 0) return std::nullopt;
    at.set(axis, at[axis] + 1);
  }
}

}  // namespace situ::internal
