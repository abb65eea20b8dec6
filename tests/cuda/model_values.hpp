// SPDX-License-Identifier: Apache-2.0
// What the programs of model.hpp compute: the sequential model, on plain arrays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "model.hpp"

namespace model {

/// What a variable should hold.
struct Values {
  bool empty = true;
  std::array<T, elements> at{};
  friend bool operator==(const Values&, const Values&) = default;
};

/// `k, k + 3, ...`: what `make` gives.
inline Values series(T k) {
  Values values{false, {}};
  for (std::size_t i = 0; i < elements; ++i) values.at[i] = k + 3 * static_cast<T>(i);
  return values;
}

inline Values combined(const Values& a, const Values& b, T k) {
  Values out{false, {}};
  for (std::size_t i = 0; i < elements; ++i) {
    out.at[i] = static_cast<T>(static_cast<std::uint64_t>(a.at[i]) * 3 + static_cast<std::uint64_t>(b.at[i]) +
                               static_cast<std::uint64_t>(k));
  }
  return out;
}

inline Values sum(const Values& a, const Values& b) {
  Values out{false, {}};
  for (std::size_t i = 0; i < elements; ++i) {
    out.at[i] = static_cast<T>(static_cast<std::uint64_t>(a.at[i]) + static_cast<std::uint64_t>(b.at[i]));
  }
  return out;
}

/// `into` with the step's box set by `f(row, column)` of the other box.
template <class F>
Values with_box(const Step& step, const Values& into, F f) {
  Values out = into;
  for (std::size_t i = 0; i < step.height; ++i) {
    for (std::size_t j = 0; j < step.width; ++j) {
      out.at[(step.row + i) * extent + step.column + j] = f(step.from_row + i, step.from_column + j);
    }
  }
  return out;
}

inline Values transposed(const Values& a) {
  Values out{false, {}};
  for (std::size_t i = 0; i < elements; ++i) out.at[i] = a.at[i % extent * extent + i / extent];
  return out;
}

inline Values repeated_row(const Values& a, std::size_t row) {
  Values out{false, {}};
  for (std::size_t i = 0; i < elements; ++i) out.at[i] = a.at[row * extent + i % extent];
  return out;
}

inline std::string to_string(const Values& values) {
  if (values.empty) return "empty";
  std::ostringstream text;
  for (std::size_t i = 0; i < elements; ++i) text << values.at[i] << (i + 1 == elements ? "" : " ");
  return text.str();
}

}  // namespace model
