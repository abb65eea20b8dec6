// SPDX-License-Identifier: Apache-2.0
// The axes of a transform of several: `FftAxes`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace situ {

/// The axes of `fftn`, `fftshift` and their kin, in their order: all unless some are named, of `fft2` the last two. A list
/// that is made when the program runs may be empty, and names none: nothing is transformed, as by NumPy's `axes=()`.
///
///     Tensor y = fftn(x, {.axes = {0, -1}});
///     Tensor z = fftn(x, {.axes = list});        // std::vector<std::int64_t> list
class FftAxes {
 public:
  FftAxes() = default;
  FftAxes(std::initializer_list<std::int64_t> axes) : named_(true), axes_(axes) {}
  FftAxes(std::vector<std::int64_t> axes) : named_(true), axes_(std::move(axes)) {}

  /// Those that are named; else the last `count`.
  [[nodiscard]] std::vector<std::int64_t> or_last(std::int64_t count) const {
    if (named_) return axes_;
    std::vector<std::int64_t> last;
    for (std::int64_t axis = -count; axis < 0; ++axis) last.push_back(axis);
    return last;
  }
  /// Whether there are axes that were named, or are to be none.
  [[nodiscard]] bool named() const noexcept { return named_; }

 private:
  bool named_ = false;
  std::vector<std::int64_t> axes_;
};

}  // namespace situ
