// SPDX-License-Identifier: Apache-2.0
// `FftAxes`: which axes a multi-dimensional transform uses.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace situ {

/// The axes of `fftn`, `fftshift` and similar functions, in their order. By default all axes; for `fft2`, the last two.
/// A list made at run time may be empty: then nothing is transformed, as with NumPy's `axes=()`.
///
///     Tensor y = fftn(x, {.axes = {0, -1}});
///     Tensor z = fftn(x, {.axes = list});        // std::vector<std::int64_t> list
///     Tensor s = fftshift(x, 1);
class FftAxes {
 public:
  FftAxes() = default;
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  FftAxes(Integer axis) : named_(true), axes_{static_cast<std::int64_t>(axis)} {}
  FftAxes(std::initializer_list<std::int64_t> axes) : named_(true), axes_(axes) {}
  FftAxes(std::vector<std::int64_t> axes) : named_(true), axes_(std::move(axes)) {}

  /// The named axes, or else the last `count`.
  [[nodiscard]] std::vector<std::int64_t> or_last(std::int64_t count) const {
    if (named_) return axes_;
    std::vector<std::int64_t> last;
    for (std::int64_t axis = -count; axis < 0; ++axis) last.push_back(axis);
    return last;
  }
  /// Whether axes were given, even an empty list.
  [[nodiscard]] bool named() const noexcept { return named_; }

 private:
  bool named_ = false;
  std::vector<std::int64_t> axes_;
};

}  // namespace situ
