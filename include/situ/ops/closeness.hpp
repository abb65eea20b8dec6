// SPDX-License-Identifier: Apache-2.0
// Comparing the numbers of tensors: `isclose allclose array_equal`.
#pragma once

#include <type_traits>
#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/comparison.hpp>
#include <situ/expression/concept.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>

namespace situ {

/// The tolerance of close numbers: `|a - b| <= absolute + relative * |b|`, NumPy's atol and rtol. NaN is close to
/// nothing, unless `equal_nan` makes it close to NaN.
///
///     allclose(a, b, {.relative = 1e-3})
struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-8;
  bool equal_nan = false;
};

namespace internal {

/// Integers as `double`, in which distances are measured; anything else unchanged.
template <class X>
[[nodiscard]] decltype(auto) measurable(X&& x) {
  if constexpr (!TensorLike<X>) return std::forward<X>(x);
  else if constexpr (IntegerElement<value_type_t<X>>) return cast<double>(std::forward<X>(x));
  else return std::forward<X>(x);
}

template <class A, class B>
concept Comparable = Operands<A, B> && NumberElement<common_element_t<A, B>>;

}  // namespace internal

/// Whether the elements are close: lazy, `bool`. The operands broadcast, and one may be a number; integers are compared
/// as `double`. An infinity is close only to itself.
///
///     Tensor wrong = !isclose(found, expected, {.relative = 1e-3});
template <class A, class B>
  requires internal::Comparable<A, B>
[[nodiscard]] auto isclose(A&& a, B&& b, Tolerance tolerance = {}) {
  const internal::functional::IsClose close{{}, tolerance.relative, tolerance.absolute, tolerance.equal_nan};
  return internal::make_map(close, internal::measurable(std::forward<A>(a)), internal::measurable(std::forward<B>(b)));
}
template <class D>
on_device<D> isclose(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                     Tolerance = {});
template <class T, class D>
placed<T, D> isclose(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                     Tolerance = {});

/// Whether all elements are close (see `isclose`): a tensor of rank 0 on the device of the operands, since only the
/// program knows when to wait for it. Throws `ShapeError` for shapes that do not broadcast.
///
///     if (allclose(a, b).item()) ...                   // on a GPU allclose(a, b).to(cpu).item()
template <class A, class B>
  requires internal::Comparable<A, B>
[[nodiscard]] Tensor<bool, internal::common_device_t<A, B>> allclose(const A& a, const B& b, Tolerance tolerance = {}) {
  return all(isclose(a, b, tolerance));
}
template <class D>
on_device<D> allclose(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                      Tolerance = {});
template <class T, class D>
placed<T, D> allclose(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                      Tolerance = {});

/// Whether shapes and all elements are equal, as a tensor of rank 0 like `allclose`; `false` for shapes that differ.
///
///     array_equal(load_npy<float>("a.npy"), a)
template <TensorLike A, TensorLike B>
  requires Operands<A, B>
[[nodiscard]] Tensor<bool, device_t<A>> array_equal(const A& a, const B& b) {
  if (!(a.shape() == b.shape())) return zeros<bool>({}, device_t<A>{});
  return all(a == b);
}
template <class D>
on_device<D> array_equal(const on_device<D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> array_equal(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
