// SPDX-License-Identifier: Apache-2.0
// The name of a tensor in an error message of code that sees only its memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <situ/core/shape.hpp>

namespace situ::internal {

/// The element type and shape, if known.
struct TensorName {
  std::string_view dtype{};
  const Shape* shape = nullptr;

  /// "the float32 tensor of shape (2, 3)", else "a tensor of 24 bytes".
  [[nodiscard]] std::string text(std::size_t bytes) const {
    if (shape == nullptr) return "a tensor of " + std::to_string(bytes) + " bytes";
    return "the " + std::string(dtype) + " tensor of shape " + shape->to_string();
  }
};

}  // namespace situ::internal
