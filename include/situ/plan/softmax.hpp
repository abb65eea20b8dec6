// SPDX-License-Identifier: Apache-2.0
// Rows of adjacent elements, for the kernels of the softmax family (formula/softmax.hpp).
#pragma once

#include <cstdint>

namespace situ::internal::program {

/// `rows` rows of `length` adjacent elements, the first of each `stride` elements after that of the row before.
struct Rows {
  std::int64_t rows;
  std::int64_t length;
  std::int64_t stride;
};

}  // namespace situ::internal::program
