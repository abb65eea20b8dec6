// SPDX-License-Identifier: Apache-2.0
// Tensors copied from host memory: `from_span(values, {2, 2})`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/bool_bytes.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/core/wanted_shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

/// A copy of host elements in row-major order. Throws `ShapeError` unless their number is that of the shape. One
/// extent may be -1, to be inferred; without a shape the result has one axis. `ValueError` for a byte of `bool`
/// that is neither 0 nor 1.
///
///     std::vector<float> values = read();
///     Tensor x = from_span<float>(values, {rows, -1}, gpu<0>);
template <Element T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> from_span(std::span<const std::type_identity_t<T>> values,
                                     const internal::WantedShape& wanted, D device = {}) {
  if constexpr (HostDevice<D>) {
    const Shape shape = wanted.of(static_cast<std::int64_t>(values.size()), "from_span",
                                  [&] { return std::to_string(values.size()) + " values are given"; });
    internal::Storage<D> storage = internal::allocate_elements<T, D>(shape);
    if (!values.empty()) std::memcpy(storage.data(), values.data(), values.size_bytes());
    if constexpr (std::same_as<T, bool>) {  // a `bool*` may point to any bytes
      const std::optional<std::string> wrong =
          internal::no_bool_among(storage.data(), shape, internal::row_major_strides(shape));
      if (wrong) throw ValueError("from_span: " + *wrong);
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
  } else {
    const internal::movement::WholeCall whole("from_span", {});
    return from_span<T>(values, wanted, Cpu{}).to(device);
  }
}
template <Element T, Device D = Cpu>
[[nodiscard]] Tensor<T, D> from_span(std::span<const std::type_identity_t<T>> values, D device = {}) {
  return from_span<T>(values, Shape{values.size()}, device);
}

/// Contiguous host elements: `std::vector`, `std::array`, `std::span`, a C array.
template <class R>
concept HostElements =
    !TensorLike<R> && requires(const R& values) { requires Element<typename decltype(std::span(values))::value_type>; };
namespace internal {
template <HostElements R>
using element_of_t = typename decltype(std::span(std::declval<const R&>()))::value_type;
}  // namespace internal

/// `from_span` with the element type of the values; also for `std::vector<bool>`, whose elements are bits.
///
///     std::vector<float> values = read();
///     Tensor x = from_span(values, {rows, columns}, gpu<0>);
template <HostElements R, Device D = Cpu>
[[nodiscard]] auto from_span(const R& values, const internal::WantedShape& shape, D device = {}) {
  return from_span<internal::element_of_t<R>>(std::span(values), shape, device);
}
template <HostElements R, Device D = Cpu>
[[nodiscard]] auto from_span(const R& values, D device = {}) {
  return from_span<internal::element_of_t<R>>(std::span(values), device);
}
template <Device D = Cpu>
[[nodiscard]] Tensor<bool, D> from_span(const std::vector<bool>& values, const internal::WantedShape& shape,
                                        D device = {}) {
  Tensor<bool, Cpu> elements(empty<bool>({static_cast<std::int64_t>(values.size())}));
  {
    auto lease = elements.write();
    std::copy(values.begin(), values.end(), lease.begin());
  }
  return from_span<bool>(elements.span(), shape, device);
}
template <Device D = Cpu>
[[nodiscard]] Tensor<bool, D> from_span(const std::vector<bool>& values, D device = {}) {
  return from_span(values, Shape{static_cast<std::int64_t>(values.size())}, device);
}

}  // namespace situ
