// SPDX-License-Identifier: Apache-2.0
// Search: `searchsorted isin`.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/sort.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/order.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct SearchHeader;
void is_included(const SearchHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// On which side of equal values `searchsorted` inserts.
enum class SearchSide { left, right };

namespace internal {

/// Throws `ShapeError` unless there is one sorted line, or one for each line of values.
inline void require_lines(const Shape& sorted, const Shape& values) {
  bool fits = sorted.rank() == 1 || (sorted.rank() > 0 && sorted.rank() == values.rank());
  for (int axis = 0; fits && axis + 1 < sorted.rank(); ++axis) fits = sorted[axis] == values[axis];
  if (fits) return;
  throw ShapeError("searchsorted: sorted values of shape " + sorted.to_string() + " and values of shape " +
                   values.to_string() +
                   " do not fit; the sorted values have rank 1, or all axes but the last of both "
                   "are equal");
}

}  // namespace internal

/// For every value the position at which to insert it so that the sorted ones stay in order: before equal ones, or with
/// `SearchSide::right` after them; `int64` of the shape of the values. The sorted ones ascend along their last axis, as
/// from `sort`: NaN comes last. They have rank 1, or a line for each line of values, as in PyTorch. If they are not
/// sorted the positions mean nothing. Throws `ShapeError` for shapes that do not fit.
///
///     searchsorted(tensor({1.f, 2.f, 4.f}), tensor({0.f, 2.f, 5.f}))    // 0 1 3
template <TensorLike S, TensorLike V>
  requires internal::agrees<V, value_type_t<S>, device_t<S>>
[[nodiscard]] Tensor<std::int64_t, device_t<S>> searchsorted(const S& sorted, const V& values,
                                                             SearchSide side = SearchSide::left) {
  using T = value_type_t<S>;
  using D = device_t<S>;
  internal::require_lines(sorted.shape(), values.shape());
  const Tensor<T, D> lines = contiguous(detach(sorted));
  const Tensor<T, D> wanted = contiguous(detach(values));
  const bool one_line = lines.rank() == 1;
  const internal::program::SortedSearch<T> search{lines.element_pointer(),
                                                  lines.extent(-1),
                                                  wanted.element_pointer(),
                                                  one_line ? wanted.size() : wanted.extent(-1),
                                                  one_line,
                                                  side == SearchSide::right};
  return internal::generated<std::int64_t, D>(wanted.shape(), search, lines, wanted);
}
/// The position of one number, of rank 0.
///
///     const std::int64_t bin = searchsorted(edges, 0.5f).item();
template <TensorLike S, class V>
  requires internal::WeakScalarFor<V, value_type_t<S>>
[[nodiscard]] Tensor<std::int64_t, device_t<S>> searchsorted(const S& sorted, V value,
                                                             SearchSide side = SearchSide::left) {
  using T = value_type_t<S>;
  return searchsorted(sorted, full<T>({}, internal::element_from_scalar<T>(value, "searchsorted"), device_t<S>{}),
                      side);
}
template <class D>
on_device<D> searchsorted(const on_device<D>&,
                          typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                          SearchSide = SearchSide::left);
template <class T, class D>
placed<T, D> searchsorted(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                          SearchSide = SearchSide::left);
template <class T, class D>
placed<T, D> searchsorted(const placed<T, D>&,
                          typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor,
                          SearchSide = SearchSide::left);

/// For every element whether it equals one of the others, which may have any shape. NaN equals nothing, not even NaN.
///
///     Tensor weekend = isin(day, tensor({5, 6}));
template <TensorLike X, TensorLike Others>
  requires internal::agrees<Others, value_type_t<X>, device_t<X>>
[[nodiscard]] Tensor<bool, device_t<X>> isin(const X& x, const Others& others) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Tensor<T, D> wanted = detach(x);
  const Tensor<T, D> sorted = sort(reshape(detach(others), Shape{others.shape().count()}), 0);
  if (sorted.size() == 0) return full<bool>(wanted.shape(), false, D{});
  const Tensor<std::int64_t, D> position = searchsorted(sorted, wanted);
  return take(sorted, minimum(position, sorted.size() - 1), 0) == wanted;
}
template <class D>
on_device<D> isin(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> isin(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
