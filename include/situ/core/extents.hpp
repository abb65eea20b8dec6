// SPDX-License-Identifier: Apache-2.0
// Arithmetic of extents of different shapes, or of an extent and a number that a caller gives: checked. What is computed
// of the extents of one shape needs no check, for its own bounds them: `Shape::count(first, last)`.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/error.hpp>

namespace situ {

/// The sum of extents, which are not negative. Throws `ShapeError` where 64 bits do not hold it.
[[nodiscard]] inline std::int64_t sum_of_extents(std::int64_t a, std::int64_t b, const char* operation) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw ShapeError(std::string(operation) + ": " + std::to_string(a) + " and " + std::to_string(b) +
                     " positions together do not fit in 64 bits");
  }
  return sum;
}

/// The product of extents, which are not negative. Throws `ShapeError` where 64 bits do not hold it.
[[nodiscard]] inline std::int64_t product_of_extents(std::int64_t a, std::int64_t b, const char* operation) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ShapeError(std::string(operation) + ": " + std::to_string(a) + " times " + std::to_string(b) +
                     " positions do not fit in 64 bits");
  }
  return product;
}

}  // namespace situ
