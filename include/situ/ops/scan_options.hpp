// SPDX-License-Identifier: Apache-2.0
// Reverse and exclusive scans.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

/// The direction of a scan, and whether it includes the element itself.
struct ScanOptions {
  bool exclusive = false;  // each gets the result of those before it, the first 0, or 1 for products
  bool reverse = false;    // from the last position to the first
};

namespace internal {

/// A scan with its options: of the operand reversed, or shifted by one position with `none` in front.
template <class X, class Scan>
[[nodiscard]] auto scan_by_options(const X& x, int axis, ScanOptions options, value_type_t<X> none, Scan scan) {
  applied_t<X> operand = options.reverse ? flip(x, axis) : eval(x);
  const std::int64_t extent = operand.shape()[axis];
  if (options.exclusive && extent > 0) {
    std::array<PadWidth, max_rank> widths{};
    widths[static_cast<std::size_t>(axis)].before = 1;
    const auto rank = static_cast<std::size_t>(operand.shape().rank());
    operand = pad(apply(operation::Slice{{}, axis, 0, extent - 1}, operand),
                  std::span<const PadWidth>(widths.data(), rank), none);
  }
  auto result = scan(operand, axis);
  return options.reverse ? flip(std::move(result), axis) : result;
}

}  // namespace internal

/// `cumsum` with options, in braces.
///
///     cumsum(tensor({1.f, 2.f, 3.f}), 0, {.exclusive = true})    // 0 1 3
template <TensorLike X>
[[nodiscard]] internal::scanned_t<X> cumsum(const X& x, std::int64_t axis, ScanOptions options) {
  return internal::scan_by_options(x, internal::normalize_axis(axis, x.shape().rank(), "cumsum"), options,
                                   value_type_t<X>{}, [](const auto& y, int along) { return cumsum(y, along); });
}

/// `cumprod` with options, in braces.
template <TensorLike X>
[[nodiscard]] internal::scanned_t<X> cumprod(const X& x, std::int64_t axis, ScanOptions options) {
  using T = value_type_t<X>;
  return internal::scan_by_options(x, internal::normalize_axis(axis, x.shape().rank(), "cumprod"), options,
                                   static_cast<T>(compute_t<T>(1)),
                                   [](const auto& y, int along) { return cumprod(y, along); });
}

}  // namespace situ
