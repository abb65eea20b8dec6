// SPDX-License-Identifier: Apache-2.0
// Checked arithmetic for extents of different shapes, or for an extent and a number from a caller. Within one shape no
// check is needed, since its count bounds every product: `Shape::count(first, last)`.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/error.hpp>

namespace situ::internal {

/// The sum of two non-negative extents. Throws `ShapeError` if it does not fit in 64 bits.
[[nodiscard]] inline std::int64_t sum_of_extents(std::int64_t a, std::int64_t b, const char* operation) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw ShapeError(std::string(operation) + ": " + std::to_string(a) + " and " + std::to_string(b) +
                     " positions together do not fit in 64 bits");
  }
  return sum;
}

/// The product of two non-negative extents. Throws `ShapeError` if it does not fit in 64 bits.
[[nodiscard]] inline std::int64_t product_of_extents(std::int64_t a, std::int64_t b, const char* operation) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ShapeError(std::string(operation) + ": " + std::to_string(a) + " times " + std::to_string(b) +
                     " positions do not fit in 64 bits");
  }
  return product;
}

}  // namespace situ::internal
