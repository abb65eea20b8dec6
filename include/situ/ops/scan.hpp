// SPDX-License-Identifier: Apache-2.0
// Prefix sums and products (scans) along one axis: `cumsum cumprod`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/cpu/scan.hpp>
#include <situ/cuda/kernels/scan.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/lower.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

template <class R, class X>
[[nodiscard]] auto scanned(const R& operation, const X& x, std::int64_t axis, const char* name) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  using Out = typename R::template result<T>;
  const auto& operand = readable(x);
  using Read = std::remove_cvref_t<decltype(operand)>;
  const Shape shape = operand.shape();
  const int a = normalize_axis(axis, shape.rank(), name);
  Storage<D> storage = allocate_elements<Out, D>(shape);
  if (shape.count() > 0) {
    const auto operands = operands_of(operand, shape);
    const auto program = lower<0>(operand);
    on_backend<D>(
        [&](auto backend) {
          scan<T>(backend, operation, program, std::span<const program::Operand>(operands.data(), leaf_count<Read>),
                  shape, a, storage.data());
        },
        writes(storage), reads(operand));
  }
  return Tensor<Out, D>(std::move(storage), Layout::row_major(shape));
}

/// The axis of a scan that names none: that of a tensor with one. NumPy flattens instead, which hides mistakes.
inline std::int64_t only_axis(const Shape& shape, const char* name) {
  if (shape.rank() == 1) return 0;
  throw IndexError(std::string(name) + ": name the axis of shape " + shape.to_string() +
                   "; only a tensor of rank 1 needs none");
}

}  // namespace internal

/// The sums of all elements up to each one along an axis: the shape stays. `bool` and integers give `int64`, which
/// wraps; floats accumulate in `double` and round to the element type. The axis may be left out for rank 1. Throws
/// `IndexError` for an axis out of range.
///
///     cumsum(tensor({1.f, 2.f, 3.f}))    // 1 3 6
template <TensorLike X>
[[nodiscard]] auto cumsum(const X& x, std::int64_t axis) {
  return internal::scanned(internal::reduction::Sum{}, x, axis, "cumsum");
}
template <TensorLike X>
[[nodiscard]] auto cumsum(const X& x) {
  return cumsum(x, internal::only_axis(x.shape(), "cumsum"));
}

/// The products of all elements up to each one along an axis; see `cumsum`.
template <TensorLike X>
[[nodiscard]] auto cumprod(const X& x, std::int64_t axis) {
  return internal::scanned(internal::reduction::Prod{}, x, axis, "cumprod");
}
template <TensorLike X>
[[nodiscard]] auto cumprod(const X& x) {
  return cumprod(x, internal::only_axis(x.shape(), "cumprod"));
}

}  // namespace situ
