// SPDX-License-Identifier: Apache-2.0
// What layers ask of the sizes that they are made for.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/error.hpp>

namespace situ::nn::detail {

/// The number of features of a layer; throws `ValueError` unless it is positive.
inline void check_positive(std::int64_t value, const char* layer, const char* what) {
  if (value > 0) return;
  throw ValueError(std::string(layer) + ": " + what + " is " + std::to_string(value) + "; it must be positive");
}

}  // namespace situ::nn::detail
