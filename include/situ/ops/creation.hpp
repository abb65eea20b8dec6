// SPDX-License-Identifier: Apache-2.0
// New tensors: filled with one value, a sequence, an identity matrix. The device is the last argument and defaults to
// the CPU: `zeros<float>({2, 3}, gpu<0>)`. The element type is the first template argument and defaults to that of the
// values (`full`, `arange`, `linspace`), or `float` if there are none. ops/nested_list.hpp reads nested lists and
// containers.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/sequence.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/nodes.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

/// `T`, or its default if the caller gave none.
template <class T, class Otherwise>
using element_or_t = std::conditional_t<std::is_void_v<T>, Otherwise, T>;

/// The widest of the floating types among several, `bool` if there is none.
template <class Found, class... Rest>
struct WidestFloating {
  using type = Found;
};
template <class Found, class Next, class... Rest>
struct WidestFloating<Found, Next, Rest...>
    : WidestFloating<std::conditional_t<FloatingElement<Next> && (sizeof(Next) > sizeof(Found)), Next, Found>,
                     Rest...> {};

/// The element type of a sequence with these bounds: `T` if given.
template <class T, class Otherwise, class... Bound>
using sequence_element_t =
    element_or_t<T, std::conditional_t<FloatingElement<typename WidestFloating<bool, Bound...>::type>,
                                       typename WidestFloating<bool, Bound...>::type, Otherwise>>;
template <class T, class... Bound>
using arange_element_t = sequence_element_t<T, std::int64_t, Bound...>;
template <class T, class... Bound>
using linspace_element_t = sequence_element_t<T, float, Bound...>;

/// Valid bounds of a sequence of `T`.
template <class T, class... Bound>
concept BoundsOf = NumberElement<T> && (WeakScalarFor<Bound, T> && ...);

template <Element T, Device D>
[[nodiscard]] Tensor<T, D> filled(const Shape& shape, T value) {
  return evaluate(internal::Fill<T, D>(shape, value));
}

/// The elements `f(0), f(1), ...` of a shape, written by the device's `generate`; `f` reads the tensors `read`.
template <Element T, Device D, class F, class... Read>
[[nodiscard]] Tensor<T, D> generated(const Shape& shape, const F& f, const Read&... read) {
  const Layout layout = Layout::row_major(shape);
  Storage<D> storage = allocate_elements<T, D>(shape);
  if (shape.count() > 0) {
    call_kernel<D, kernels::Sequence, Generates<backend_t<D>, T, F>>(
        [&](auto backend) { generate<T>(backend, f, destination<T>(storage, layout)); }, writes<T>(storage),
        reads(read)...);
  }
  return Tensor<T, D>(std::move(storage), layout);
}

/// The type in which the bounds of a sequence of `T` are computed.
template <NumberElement T>
using bound_t = std::conditional_t<IntegerElement<T>, std::int64_t, double>;

/// A bound of a sequence of `T`. Throws `ValueError` for an integer that does not fit in a signed 64-bit one.
template <NumberElement T, WeakScalarFor<T> S>
[[nodiscard]] bound_t<T> bound(S value, const char* operation) {
  if constexpr (std::same_as<S, bool>) return static_cast<bound_t<T>>(value);
  else if constexpr (IntegerElement<T>)
    return element_from_scalar<std::int64_t>(value, operation,
                                             "bounds are 64-bit integers with a sign: give a smaller one");
  else if constexpr (std::is_arithmetic_v<S>) return static_cast<double>(value);
  else return static_cast<double>(static_cast<compute_t<S>>(value));  // a 16-bit float
}

template <NumberElement T, Device D>
[[nodiscard]] Tensor<T, D> sequence(bound_t<T> start, bound_t<T> stop, bound_t<T> step) {
  const std::int64_t count = sequence_length(start, stop, step);
  if (count > 0) {  // the ends are the largest and smallest element
    static_cast<void>(element_from_scalar<T>(start, "arange", name_wider_elements));
    const auto last = static_cast<bound_t<T>>(ArithmeticSequence<bound_t<T>>{start, step}(count - 1));
    static_cast<void>(element_from_scalar<T>(last, "arange", name_wider_elements));
  }
  return generated<T, D>(Shape{count}, ArithmeticSequence<T>{start, step});
}

__extension__ using WidestInteger = __int128;  // holds every other integer type without narrowing

[[nodiscard]] inline Shape shape_of(std::initializer_list<WidestInteger> extents) {
  Shape shape;
  for (const WidestInteger extent : extents) {
    const auto value = static_cast<std::int64_t>(extent);
    if (value != extent) Extent::fail(std::to_string(static_cast<std::uint64_t>(extent)));
    shape.push_back(value);
  }
  return shape.checked();
}

}  // namespace internal

/// A tensor with uninitialized elements: reading one before it is written returns any value.
///
///     Tensor x = empty<float>({2, 3}, gpu<0>);
template <Element T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> empty(const Shape& shape, D = {}) {
  return Tensor<T, D>(internal::allocate_elements<T, D>(shape), Layout::row_major(shape));
}
// With `using namespace std`, the list {2, 3} matches `std::empty`, whose result is a `bool`, better than a shape. It
// matches these as well: one overload for integers of one type, and one for any integers, which is more specialized
// than std's. So the result is a tensor, or in the worst case (`empty<int>({2, 3})`, with that directive) an ambiguous
// call.
template <Element T = float, std::integral Integer>
[[nodiscard]] Tensor<T, Cpu> empty(std::initializer_list<Integer> extents) {
  return empty<T>(Shape(extents), Cpu{});
}
template <Element T = float>
[[nodiscard]] Tensor<T, Cpu> empty(std::initializer_list<internal::WidestInteger> extents) {
  return empty<T>(internal::shape_of(extents), Cpu{});
}

/// Zeros (`false` for `bool`).
///
///     Tensor x = zeros({2, 3}, gpu<0>);          // float
///     Tensor n = zeros<std::int64_t>({2, 3});
template <Element T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> zeros(const Shape& shape, D = {}) {
  return internal::filled<T, D>(shape, T{});
}

/// Ones (`true` for `bool`).
template <Element T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> ones(const Shape& shape, D = {}) {
  return internal::filled<T, D>(shape, static_cast<T>(compute_t<T>(1)));
}

/// The same value everywhere. The element type defaults to that of the value; throws `ValueError` if it cannot hold the
/// value.
///
///     Tensor x = full({2, 3}, 0.5f);               // Tensor<float, Cpu>
///     Tensor y = full<float16>({2, 3}, 0.5, gpu<0>);
template <class T = void, class S, Device D = Cpu>
  requires internal::WeakScalarFor<S, internal::element_or_t<T, S>>
[[nodiscard]] Tensor<internal::element_or_t<T, S>, D> full(const Shape& shape, S value, D = {}) {
  using Element = internal::element_or_t<T, S>;
  return internal::filled<Element, D>(
      shape, internal::element_from_scalar<Element>(value, "full", internal::name_wider_elements));
}

/// `empty`, `zeros`, `ones`, `full` with the shape, the device and, by default, the element type of `x`.
///
///     Tensor gradient = zeros_like(weight);
template <class T = void, TensorLike X>
[[nodiscard]] Tensor<internal::element_or_t<T, value_type_t<X>>, device_t<X>> empty_like(const X& x) {
  return empty<internal::element_or_t<T, value_type_t<X>>>(x.shape(), device_t<X>{});
}
/// As `zeros`, with shape, device and elements of `x`.
template <class T = void, TensorLike X>
[[nodiscard]] Tensor<internal::element_or_t<T, value_type_t<X>>, device_t<X>> zeros_like(const X& x) {
  return zeros<internal::element_or_t<T, value_type_t<X>>>(x.shape(), device_t<X>{});
}
/// As `ones`, with shape, device and elements of `x`.
template <class T = void, TensorLike X>
[[nodiscard]] Tensor<internal::element_or_t<T, value_type_t<X>>, device_t<X>> ones_like(const X& x) {
  return ones<internal::element_or_t<T, value_type_t<X>>>(x.shape(), device_t<X>{});
}
/// As `full`, with shape, device and elements of `x`.
template <class T = void, TensorLike X, class S>
  requires internal::WeakScalarFor<S, internal::element_or_t<T, value_type_t<X>>>
[[nodiscard]] Tensor<internal::element_or_t<T, value_type_t<X>>, device_t<X>> full_like(const X& x, S value) {
  return full<internal::element_or_t<T, value_type_t<X>>>(x.shape(), value, device_t<X>{});
}

/// `start, start + step, ...` up to but excluding `stop`: `ceil((stop - start) / step)` elements, as in NumPy. The
/// element type defaults to `int64` for integers, otherwise to that of the floating arguments. Floating elements are
/// `start + i * step` in double precision, rounded to `T`, which may round to `stop`; `linspace` takes the number of
/// elements instead. Throws `ValueError` for a step of 0 and for elements that do not fit in `T`.
///
///     arange(3)                    // 0 1 2, int64
///     arange(0, 1, 0.25f)          // 0 0.25 0.5 0.75, float
///     arange<std::uint8_t>(3)
template <class T = void, class Start, class Stop, class Step, Device D = Cpu>
  requires internal::BoundsOf<internal::arange_element_t<T, Start, Stop, Step>, Start, Stop, Step>
[[nodiscard]] Tensor<internal::arange_element_t<T, Start, Stop, Step>, D> arange(Start start, Stop stop, Step step,
                                                                                 D = {}) {
  using Element = internal::arange_element_t<T, Start, Stop, Step>;
  return internal::sequence<Element, D>(internal::bound<Element>(start, "arange"),
                                        internal::bound<Element>(stop, "arange"),
                                        internal::bound<Element>(step, "arange"));
}
template <class T = void, class Start, class Stop, Device D = Cpu>
  requires internal::BoundsOf<internal::arange_element_t<T, Start, Stop>, Start, Stop>
[[nodiscard]] Tensor<internal::arange_element_t<T, Start, Stop>, D> arange(Start start, Stop stop, D device = {}) {
  return arange<internal::arange_element_t<T, Start, Stop>>(start, stop, 1, device);
}
template <class T = void, class Stop, Device D = Cpu>
  requires internal::BoundsOf<internal::arange_element_t<T, Stop>, Stop>
[[nodiscard]] Tensor<internal::arange_element_t<T, Stop>, D> arange(Stop stop, D device = {}) {
  return arange<internal::arange_element_t<T, Stop>>(0, stop, 1, device);
}

/// `count` evenly spaced elements from `start` to `stop`, both included. The element type defaults to that of the
/// floating bounds, `float` for integers. Throws `ValueError` for bounds that do not fit in `T`, `ShapeError` for a
/// negative count.
///
///     linspace(0.0, 1.0, 5)        // 0 0.25 0.5 0.75 1, double
template <class T = void, class Start, class Stop, Device D = Cpu>
  requires internal::BoundsOf<internal::linspace_element_t<T, Start, Stop>, Start, Stop> &&
           FloatingElement<internal::linspace_element_t<T, Start, Stop>>
[[nodiscard]] Tensor<internal::linspace_element_t<T, Start, Stop>, D> linspace(Start start, Stop stop,
                                                                               std::int64_t count, D = {}) {
  using Element = internal::linspace_element_t<T, Start, Stop>;
  static_cast<void>(Shape{count}.checked());
  static_cast<void>(internal::element_from_scalar<Element>(start, "linspace", internal::name_wider_elements));
  const auto last = internal::element_from_scalar<Element>(stop, "linspace", internal::name_wider_elements);
  const double from = internal::bound<Element>(start, "linspace");
  const double to = internal::bound<Element>(stop, "linspace");
  const double step = count > 1 ? (to - from) / static_cast<double>(count - 1) : 0.0;
  if (std::isinf(step) && std::isfinite(from) && std::isfinite(to)) {
    throw ValueError("linspace: from " + internal::number_text(from) + " to " + internal::number_text(to) +
                     " is more than a double can hold; make the interval smaller");
  }
  Tensor<Element, D> result =
      internal::generated<Element, D>(Shape{count}, internal::ArithmeticSequence<Element>{from, step});
  if (count > 1) {  // `(count - 1) * step` may miss it by a rounding
    internal::Storage<D> storage = result.storage();
    assign(storage, Layout{Shape{}, {}, count - 1}, internal::Fill<Element, D>(Shape{}, last));
  }
  return result;
}

/// Ones on a diagonal, zeros elsewhere: `rows` x `columns` (by default square), the main diagonal or the one `diagonal`
/// places above it (below if negative).
///
///     Tensor identity = eye(3);                  // float; eye<double>(3)
template <Element T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> eye(std::int64_t rows, std::int64_t columns, std::int64_t diagonal = 0, D device = {}) {
  Tensor<T, D> result = zeros<T>({rows, columns}, device);
  if (diagonal >= columns || diagonal <= -rows) return result;
  const std::int64_t length =
      std::min(rows + std::min<std::int64_t>(diagonal, 0), columns - std::max<std::int64_t>(diagonal, 0));
  if (length == 0) return result;
  const Layout ones_layout{Shape{length}, {columns + 1}, diagonal >= 0 ? diagonal : -diagonal * columns};
  internal::Storage<D> storage = result.storage();
  assign(storage, ones_layout, internal::Fill<T, D>(Shape{length}, static_cast<T>(compute_t<T>(1))));
  return result;
}
template <Element T = float, Device D = Cpu>
[[nodiscard]] Tensor<T, D> eye(std::int64_t size, D device = {}) {
  return eye<T>(size, size, 0, device);
}

}  // namespace situ
