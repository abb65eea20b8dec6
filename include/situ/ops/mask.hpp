// SPDX-License-Identifier: Apache-2.0
// Selecting by masks: `nonzero count_nonzero masked_select masked_fill`, and `x(mask)`. The number of selected elements
// is known only after counting: functions whose result has that size wait once for it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/broadcast.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/true_elements.hpp>
#include <situ/tensor/slot.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// How many positions `nonzero` returns, so that it need not wait for their number.
struct PositionBound {
  std::int64_t size;       // as many, regardless of their actual number
  std::int64_t fill = -1;  // the value of the unused ones
};

/// How many elements `masked_select` returns, so that it need not wait for their number.
template <Element T>
struct SelectionBound {
  std::int64_t size;  // as many, regardless of their actual number
  T fill{};           // the value of the unused ones
};

namespace internal {

template <TensorLike X>
using selection_bound_t = SelectionBound<value_type_t<X>>;

/// Truth values; for numbers, whether they are not 0.
template <TensorLike X>
[[nodiscard]] Tensor<bool, device_t<X>> truth_of(const X& x) {
  if constexpr (std::same_as<value_type_t<X>, bool>) return eval(x);
  else return no_grad(x) != value_type_t<X>{};
}

/// Positions in row-major order of a shape as coordinates, one column for each axis.
template <Device D>
[[nodiscard]] Tensor<std::int64_t, D> positions_by_axis(const Tensor<std::int64_t, D>& flat, const Shape& shape,
                                                        std::int64_t fill) {
  if (shape.rank() == 0) return zeros<std::int64_t>({flat.size(), 0}, D{});
  std::vector<Tensor<std::int64_t, D>> columns;
  std::int64_t step = shape.count();
  for (const std::int64_t extent : shape) {
    step /= std::max<std::int64_t>(extent, 1);  // a shape without elements has no positions
    const auto rows = floor_divide(flat, std::max<std::int64_t>(step, 1));
    const auto position = remainder(rows, std::max<std::int64_t>(extent, 1));
    columns.push_back(where(flat < 0, fill, position));
  }
  return stack(columns, 1);
}

}  // namespace internal

/// How many elements are not zero, or true for `bool`: over all axes, one, or several; `int64`. NaN is not zero.
///
///     Tensor right = count_nonzero(argmax(logits, 1) == labels);
template <TensorLike X>
[[nodiscard]] Tensor<std::int64_t, device_t<X>> count_nonzero(const X& x, const ReduceAxes& axes = {},
                                                              KeepDims keep = KeepDims::no) {
  if constexpr (std::same_as<value_type_t<X>, bool>) return sum(x, axes, keep);
  else return sum(no_grad(x) != value_type_t<X>{}, axes, keep);
}

/// The positions of all elements that are not zero, or true for `bool`, in row-major order: `int64` of shape (number,
/// rank), as torch.nonzero (NumPy: a tuple of columns). Waits once, for their number. `gather_nd(x, nonzero(m))` reads
/// there, as `x(m)` does; `x(nonzero(m))` would read rows.
///
///     Tensor where_it_rained = nonzero(rain > 0);
template <TensorLike X>
[[nodiscard]] Tensor<std::int64_t, device_t<X>> nonzero(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("nonzero", site);
  const auto flat = internal::true_positions(internal::truth_of(x), std::nullopt, site);
  return internal::positions_by_axis(flat, x.shape(), 0);
}
/// As many positions as the bound says, without waiting: the first of them, and `fill` in the unused rows. Throws
/// `ShapeError` for a negative size.
///
///     Tensor some = nonzero(scores > 0.5f, {.size = 100, .fill = -1});
template <TensorLike X>
[[nodiscard]] Tensor<std::int64_t, device_t<X>> nonzero(const X& x, PositionBound bound) {
  const auto flat = internal::true_positions(internal::truth_of(x), bound.size, CallSite{});
  return internal::positions_by_axis(flat, x.shape(), bound.fill);
}

/// The value of `x(mask)`: the elements where a mask of the shape of `x` is true, in row-major order, or the rows where
/// a mask of the shape of its first axes is. Waits once, for their number. Throws `ShapeError` for a mask of another
/// shape.
///
///     Tensor positive = x(x > 0);
///     Tensor seen = images(labels == 3);                 // (n, h, w) and (n) -> (number, h, w)
template <TensorLike X, TensorLike Mask>
  requires std::same_as<value_type_t<Mask>, bool> && std::same_as<device_t<X>, device_t<Mask>>
[[nodiscard]] applied_t<X> boolean_index(const X& x, const Mask& mask, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("x(mask)", site);
  const Shape shape = x.shape();
  const Shape masked = mask.shape();
  internal::require_mask_fits(masked, shape);
  Shape rows{masked.count()};
  for (int axis = masked.rank(); axis < shape.rank(); ++axis) rows.push_back(shape[axis]);
  if constexpr (!Recorded<X>) {  // a gradient needs the positions
    if (rows.rank() == 1) {
      return internal::true_elements<value_type_t<X>>(reshape(x, rows), eval(mask), std::nullopt, {}, site);
    }
  }
  return take(reshape(x, rows), internal::true_positions(eval(mask), std::nullopt, site), 0);
}

/// The elements where the mask is true, in row-major order; both are broadcast, as in PyTorch. Waits once, for their
/// number.
template <TensorLike X, TensorLike Mask>
  requires std::same_as<value_type_t<Mask>, bool> && std::same_as<device_t<X>, device_t<Mask>>
[[nodiscard]] applied_t<X> masked_select(const X& x, const Mask& mask, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("masked_select", site);
  const Shape shape = internal::broadcast_shapes(x.shape(), mask.shape(), "masked_select");
  return boolean_index(broadcast_to(x, shape), broadcast_to(mask, shape), site);
}
/// As many elements as the bound says, without waiting: the first of them, and `fill` for the unused ones. Throws
/// `ShapeError` for a negative size.
///
///     Tensor peaks = masked_select(sound, sound > 0.9f, {.size = 100, .fill = 0.f});
template <TensorLike X, TensorLike Mask>
  requires std::same_as<value_type_t<Mask>, bool> && std::same_as<device_t<X>, device_t<Mask>>
[[nodiscard]] applied_t<X> masked_select(const X& x, const Mask& mask, internal::selection_bound_t<X> bound) {
  const Shape shape = internal::broadcast_shapes(x.shape(), mask.shape(), "masked_select");
  if (bound.size < 0) throw ShapeError("masked_select: a size of " + std::to_string(bound.size) + " elements");
  const applied_t<X> flat = reshape(broadcast_to(x, shape), Shape{shape.count()});
  const Tensor<bool, device_t<X>> where_true = eval(broadcast_to(mask, shape));
  if constexpr (!Recorded<X>) {
    return internal::true_elements<value_type_t<X>>(flat, where_true, bound.size, bound.fill, CallSite{});
  } else {
    if (shape.count() == 0) return pad(flat, {{0, bound.size}}, bound.fill);
    const Tensor<std::int64_t, device_t<X>> at = internal::true_positions(where_true, bound.size, CallSite{});
    return where(at < 0, bound.fill, take(flat, maximum(at, 0), 0));
  }
}

template <class D>
on_device<D> masked_select(const on_device<D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class D>
on_device<D> masked_select(const on_device<D>&, the_mask_is_not_bool::fix_compare_or_call_cast_bool);
// The same with a bound.
template <Element T, class D>
on_device<D> masked_select(const placed<T, D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                           SelectionBound<T>);
template <Element T, class D>
on_device<D> masked_select(const placed<T, D>&, the_mask_is_not_bool::fix_compare_or_call_cast_bool, SelectionBound<T>);

/// The value where the mask is true, `x` elsewhere: lazy; all three broadcast.
///
///     Tensor scores = masked_fill(q_k, future, -std::numeric_limits<float>::infinity());
template <TensorLike X, class Mask, class Value>
  requires requires(const X& x, const Mask& mask, const Value& value) { where(mask, value, x); }
[[nodiscard]] auto masked_fill(const X& x, const Mask& mask, const Value& value) {
  using T = value_type_t<X>;
  const Shape shape = internal::broadcast_shapes(x.shape(), mask.shape(), "masked_fill");
  if constexpr (TensorLike<Value>) static_cast<void>(internal::broadcast_shapes(shape, value.shape(), "masked_fill"));
  else static_cast<void>(internal::element_from_scalar<T>(value, "masked_fill"));
  return where(mask, value, x);
}
template <class D, class Value>
on_device<D> masked_fill(const on_device<D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const Value&);
template <class D, class Value>
on_device<D> masked_fill(const on_device<D>&, the_mask_is_not_bool::fix_compare_or_call_cast_bool, const Value&);
template <class D>
on_device<D> masked_fill(const on_device<D>&, const placed<bool, D>&,
                         typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> masked_fill(const placed<T, D>&, const placed<bool, D>&,
                         typename element_types_differ<T, D>::template fix_call_cast<T>);
template <class T, class D>
placed<T, D> masked_fill(const placed<T, D>&, const placed<bool, D>&,
                         typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor);

/// The result of `x.at(mask)`: the elements of `x`, or rows, where a mask is true, for writing. The right-hand side
/// broadcasts to all of `x`, whose other elements are unchanged; nothing waits. Refers to the tensor, and must not
/// outlive it.
///
///     x.at(x < 0) = 0;
///     x.at(isnan(x)) = other;                            // of the shape of x
template <Element T, Device D>
class MaskedPart {
 public:
  /// Throws `ShapeError` unless the mask has the extents of the first axes of `x`. The mask is moved in, so that an
  /// expression of `x` no longer holds its elements when they are written.
  template <TensorLike Mask>
  MaskedPart(Tensor<T, D>& x, Mask mask) : x_(x), mask_(eval(mask)) {
    internal::require_mask_fits(mask_.shape(), x.shape());
    while (mask_.rank() < x.rank()) mask_ = unsqueeze(std::move(mask_), -1);
  }

  template <class E>
    requires(!Recorded<E>)
  auto operator=(E&& e) && -> decltype(where(std::declval<const Tensor<bool, D>&>(), std::forward<E>(e),
                                             std::declval<const Tensor<T, D>&>()),
                                       void()) {
    write(std::forward<E>(e));
  }
  template <class E>
    requires(!Recorded<E>)
  auto operator+=(E&& e) && -> decltype(std::declval<const Tensor<T, D>&>() + std::forward<E>(e), void()) {
    write(x_ + fitting(std::forward<E>(e)));
  }
  template <class E>
    requires(!Recorded<E>)
  auto operator-=(E&& e) && -> decltype(std::declval<const Tensor<T, D>&>() - std::forward<E>(e), void()) {
    write(x_ - fitting(std::forward<E>(e)));
  }
  template <class E>
    requires(!Recorded<E>)
  auto operator*=(E&& e) && -> decltype(std::declval<const Tensor<T, D>&>() * std::forward<E>(e), void()) {
    write(x_ * fitting(std::forward<E>(e)));
  }
  template <class E>
    requires(!Recorded<E>)
  auto operator/=(E&& e) && -> decltype(std::declval<const Tensor<T, D>&>() / std::forward<E>(e), void()) {
    write(x_ / fitting(std::forward<E>(e)));
  }
  template <class E>
    requires(!Recorded<E>)
  auto operator%=(E&& e) && -> decltype(std::declval<const Tensor<T, D>&>() % std::forward<E>(e), void()) {
    write(x_ % fitting(std::forward<E>(e)));
  }
  // Guards, never defined, see device/diagnostics.hpp.
  void operator=(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) &&;
  void operator=(typename element_types_differ<T, D>::template fix_call_cast<T>) &&;
  void operator=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) &&;
  void operator+=(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) &&;
  void operator+=(typename element_types_differ<T, D>::template fix_call_cast<T>) &&;
  void operator+=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) &&;
  void operator-=(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) &&;
  void operator-=(typename element_types_differ<T, D>::template fix_call_cast<T>) &&;
  void operator-=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) &&;
  void operator*=(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) &&;
  void operator*=(typename element_types_differ<T, D>::template fix_call_cast<T>) &&;
  void operator*=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) &&;
  void operator/=(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) &&;
  void operator/=(typename element_types_differ<T, D>::template fix_call_cast<T>) &&;
  void operator/=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) &&;
  void operator%=(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) &&;
  void operator%=(typename element_types_differ<T, D>::template fix_call_cast<T>) &&;
  void operator%=(typename scalar_does_not_fit_elements<T>::fix_cast_the_scalar_or_the_tensor) &&;

 private:
  /// Throws `ShapeError` for an operand that does not broadcast to the shape of `x`, which is then unchanged.
  template <class E>
  void write(E&& e) {
    Slot<T, D>{x_} = where(mask_, fitting(std::forward<E>(e)), x_);  // moved, so that only x holds its elements
  }

  template <class E>
  [[nodiscard]] E&& fitting(E&& e) const {
    if constexpr (TensorLike<E>) internal::require_fits_masked_part(e.shape(), x_.shape());
    return std::forward<E>(e);
  }

  Tensor<T, D>& x_;
  Tensor<bool, D> mask_;
};

/// `x.at(mask)`.
template <Element T, Device D, TensorLike Mask>
[[nodiscard]] MaskedPart<T, D> masked_part(Tensor<T, D>& x, Mask&& mask) {
  return MaskedPart<T, D>(x, std::forward<Mask>(mask));
}

}  // namespace situ
