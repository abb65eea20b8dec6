// SPDX-License-Identifier: Apache-2.0
// Tensors written out, `tensor({{1.f, 2.f}, {3.f, 4.f}})`, or copied from host memory, `from_span(values, {2, 2})`.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/from_span.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The shape of nested lists, taken from the first list at each level.
template <class S>
void measure_lists(S, Shape&) {}
template <class X>
void measure_lists(std::initializer_list<X> list, Shape& shape) {
  shape.push_back(static_cast<std::int64_t>(list.size()));
  measure_lists(list.size() > 0 ? *list.begin() : X{}, shape);
}

/// Writes the elements of nested lists one after the other. Throws `ShapeError` if lists of one level differ in length,
/// before anything is written beyond the shape.
template <Element T, class S>
void read_lists(S value, const Shape&, int, T*& out) {
  *out++ = element_from_scalar<T>(value, "tensor", internal::name_wider_elements);
}
template <Element T, class X>
void read_lists(std::initializer_list<X> list, const Shape& shape, int axis, T*& out) {
  if (static_cast<std::int64_t>(list.size()) != shape[axis]) {
    throw ShapeError("tensor: lists of axis " + std::to_string(axis) + " have " + std::to_string(shape[axis]) +
                     " and " + std::to_string(list.size()) + " entries; lists of one level must be equally long");
  }
  for (const X& item : list) read_lists<T>(item, shape, axis + 1, out);
}

template <Element T, class List, Device D>
[[nodiscard]] Tensor<T, D> from_lists(List list, D device) {
  if constexpr (HostDevice<D>) {
    Shape shape;
    measure_lists(list, shape);
    Storage<D> storage = allocate_elements<T, D>(shape);
    T* out = static_cast<T*>(storage.data());
    read_lists<T>(list, shape, 0, out);
    return Tensor<T, D>(std::move(storage), Layout::row_major(shape));
  } else {
    const movement::WholeCall whole("tensor", {});
    return from_lists<T>(list, Cpu{}).to(device);
  }
}

}  // namespace internal

/// A tensor from nested lists of one to four levels, or of rank 0 from a number. The element type defaults to that of
/// the numbers. Throws `ShapeError` if lists of one level differ in length, `ValueError` for a number that the element
/// type cannot hold.
///
///     Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});     // Tensor<float, Cpu>, shape (2, 2)
///     Tensor s = tensor(3.f);                          // shape ()
///     Tensor h = tensor<float16>({1.f, 2.f}, gpu<0>);  // converts
//
// The nested types are written out: clang 14 deduces nothing through an alias of `std::initializer_list`.
template <class T = void, class S, Device D = Cpu>
  requires internal::WeakScalarFor<S, internal::element_or_t<T, S>>
[[nodiscard]] Tensor<internal::element_or_t<T, S>, D> tensor(S value, D device = {}) {
  return internal::from_lists<internal::element_or_t<T, S>>(value, device);
}
/// A vector of these numbers; see above.
template <class T = void, class S, Device D = Cpu>
  requires internal::WeakScalarFor<S, internal::element_or_t<T, S>>
[[nodiscard]] Tensor<internal::element_or_t<T, S>, D> tensor(std::initializer_list<S> values, D device = {}) {
  return internal::from_lists<internal::element_or_t<T, S>>(values, device);
}
/// A matrix of these rows.
template <class T = void, class S, Device D = Cpu>
  requires internal::WeakScalarFor<S, internal::element_or_t<T, S>>
[[nodiscard]] Tensor<internal::element_or_t<T, S>, D> tensor(std::initializer_list<std::initializer_list<S>> values,
                                                             D device = {}) {
  return internal::from_lists<internal::element_or_t<T, S>>(values, device);
}
/// A tensor of rank 3.
template <class T = void, class S, Device D = Cpu>
  requires internal::WeakScalarFor<S, internal::element_or_t<T, S>>
[[nodiscard]] Tensor<internal::element_or_t<T, S>, D> tensor(
    std::initializer_list<std::initializer_list<std::initializer_list<S>>> values, D device = {}) {
  return internal::from_lists<internal::element_or_t<T, S>>(values, device);
}
/// A tensor of rank 4.
template <class T = void, class S, Device D = Cpu>
  requires internal::WeakScalarFor<S, internal::element_or_t<T, S>>
[[nodiscard]] Tensor<internal::element_or_t<T, S>, D> tensor(
    std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<S>>>> values,
    D device = {}) {
  return internal::from_lists<internal::element_or_t<T, S>>(values, device);
}

/// A copy of a `std::vector` or other host memory, with one axis; `from_span` takes a shape too. The element type
/// defaults to that of the values, as for lists.
///
///     Tensor x = tensor(std::vector{1.f, 2.f, 3.f});
template <class T = void, HostElements R, Device D = Cpu>
  requires internal::WeakScalarFor<internal::element_of_t<R>, internal::element_or_t<T, internal::element_of_t<R>>>
[[nodiscard]] Tensor<internal::element_or_t<T, internal::element_of_t<R>>, D> tensor(const R& values, D device = {}) {
  using Element = internal::element_or_t<T, internal::element_of_t<R>>;
  if constexpr (std::same_as<Element, internal::element_of_t<R>>) {
    return from_span(values, device);
  } else if constexpr (HostDevice<D>) {
    const std::span from(values);
    Tensor<Element, D> result = empty<Element>({static_cast<std::int64_t>(from.size())}, device);
    {
      auto lease = result.write();
      Element* out = lease.data();
      for (const auto value : from)
        *out++ = internal::element_from_scalar<Element>(value, "tensor", internal::name_wider_elements);
    }
    return result;
  } else {
    const internal::movement::WholeCall whole("tensor", {});
    return tensor<T>(values, Cpu{}).to(device);
  }
}
template <Device D = Cpu>
[[nodiscard]] Tensor<bool, D> tensor(const std::vector<bool>& values, D device = {}) {
  return from_span(values, device);
}

}  // namespace situ
