// SPDX-License-Identifier: Apache-2.0
// All values of a float of 16 bits, in order, so that rounding is a search.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../types.hpp"

namespace ptx::test {

class SmallValues {
 public:
  explicit SmallValues(bool half) : fraction_bits_(half ? 10 : 7), bias_(half ? 15 : 127) {
    for (Word word = 0; word <= 0x7fff; ++word) {
      if ((word >> fraction_bits_) == largest_exponent()) break;
      const auto exponent = static_cast<int>(word >> fraction_bits_);
      const auto fraction = static_cast<long double>(word & ones(fraction_bits_));
      const long double unit = std::pow(2.0L, std::max(exponent, 1) - bias_ - fraction_bits_);
      positive_.push_back(unit * (fraction + (exponent == 0 ? 0.0L : std::pow(2.0L, fraction_bits_))));
    }
  }

  [[nodiscard]] long double value(Word word) const {
    const Word size = word & 0x7fff;
    long double result = size < positive_.size() ? positive_[size] : INFINITY;
    if (size > positive_.size()) result = NAN;
    return (word & 0x8000) != 0 ? -result : result;
  }
  [[nodiscard]] long double least_normal() const { return std::pow(2.0L, 1 - bias_); }

  /// NaN is 7fff.
  [[nodiscard]] Word nearest(long double wanted) const {
    if (std::isnan(wanted)) return 0x7fff;
    const Word sign = std::signbit(wanted) ? 0x8000 : 0;
    const Word below = towards_zero(wanted) & 0x7fff;
    if (below == positive_.size()) return sign | below;  // infinity
    const long double size = std::fabs(wanted);
    // What would follow the largest value lies as far from it as the one before.
    const long double next = below + 1 < positive_.size() ? positive_[below + 1] : std::pow(2.0L, bias_ + 1);
    const long double from_below = size - positive_[below];
    const long double to_next = next - size;
    const bool up = to_next < from_below || (to_next == from_below && (below & 1) != 0);
    return sign | (up ? below + 1 : below);
  }
  [[nodiscard]] Word towards_zero(long double wanted) const {
    if (std::isnan(wanted)) return 0x7fff;
    const Word sign = std::signbit(wanted) ? 0x8000 : 0;
    const long double size = std::fabs(wanted);
    if (std::isinf(size)) return sign | positive_.size();
    const auto after = std::upper_bound(positive_.begin(), positive_.end(), size);
    return sign | static_cast<Word>(after - positive_.begin() - 1);
  }
  /// The next value up or down, unless it is there already. `wanted` lies beyond the largest: that, or infinity.
  [[nodiscard]] Word directed(long double wanted, bool up) const {
    const Word inner = towards_zero(wanted);
    if (std::isnan(wanted) || value(inner) == wanted) return inner;
    const bool away = std::signbit(wanted) != up;
    return away ? inner + 1 : inner;
  }

 private:
  [[nodiscard]] Word largest_exponent() const { return static_cast<Word>(2 * bias_ + 1); }
  int fraction_bits_;
  int bias_;
  std::vector<long double> positive_;  // by the word
};

/// Of float16, or of bfloat16.
[[nodiscard]] inline const SmallValues& small_values(bool half) {
  static const SmallValues of_half(true);
  static const SmallValues of_bfloat(false);
  return half ? of_half : of_bfloat;
}

}  // namespace ptx::test
