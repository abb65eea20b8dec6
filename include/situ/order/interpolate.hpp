// SPDX-License-Identifier: Apache-2.0
// Linear interpolation between points: `interp`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/select.hpp>
#include <situ/order/search.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct InterpolationHeader;
void is_included(const InterpolationHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// Options of `interp`.
struct InterpOptions {
  /// The value left of the first point; by default that of the first point.
  std::optional<double> left = std::nullopt;
  /// The value right of the last point; by default that of the last point.
  std::optional<double> right = std::nullopt;
};

namespace internal {

/// Elements that are interpolated.
template <class T>
concept InterpolatedElement = std::same_as<T, float> || std::same_as<T, double>;

/// The operation, for error messages.
struct OfInterpolation : functional::OfAny<OfInterpolation> {
  static constexpr const char* name = "interp";
  template <Element T>
  static constexpr bool accepts = InterpolatedElement<T>;
};

/// The value at x of the line through (x0, y0) and (x1, y1), the ends of the segment of x. Only left of all segments is
/// x below x0, and only right of them above x1. As NumPy, which computes from the other end if infinities make the
/// first result NaN.
struct InterpolatedLine {
  double left = 0, right = 0;
  bool has_left = false, has_right = false;

  template <class T>
  [[nodiscard]] static constexpr bool is_nan(T x) noexcept {
    return x != x;
  }

  template <class T>
  constexpr T operator()(T x, T x0, T x1, T y0, T y1) const noexcept {
    if (is_nan(x)) return x;
    if (x < x0) return has_left ? static_cast<T>(left) : y0;
    if (x > x1) return has_right ? static_cast<T>(right) : y1;
    if (x == x1) return y1;
    const T slope = (y1 - y0) / (x1 - x0);
    T y = slope * (x - x0) + y0;
    if (is_nan(y)) y = slope * (x - x1) + y1;
    if (is_nan(y) && (y0 == y1 || x == x0)) y = y0;
    return y;
  }

  // With t = (x - x0) / (x1 - x0): y0 and y1 count 1 - t and t, x the slope, x0 and x1 minus the slope, by 1 - t and t.
  template <std::size_t At>
  static constexpr unsigned derivative_reads = functional::reads::operands(5);
  template <std::size_t At, class T>
  constexpr T derivative(T g, T x, T x0, T x1, T y0, T y1) const noexcept {
    if (is_nan(x)) return At == 0 ? g : T(0);
    if (x < x0) return At == 3 && !has_left ? g : T(0);
    if (x > x1) return At == 4 && !has_right ? g : T(0);
    if (x0 == x1) return At == 4 ? g : T(0);
    const T t = (x - x0) / (x1 - x0);
    const T share = At == 1 || At == 3 ? 1 - t : t;
    if constexpr (At >= 3) {
      return g * share;
    } else {
      const T slope = (y1 - y0) / (x1 - x0);
      return At == 0 ? g * slope : -g * slope * share;
    }
  }
};

/// Throws `ShapeError` unless there are points, and a value for each.
inline void require_points(const Shape& xp, const Shape& fp) {
  if (xp.rank() == 1 && xp[0] > 0 && xp == fp) return;
  throw ShapeError("interp: points of shape " + xp.to_string() + " and values of shape " + fp.to_string() +
                   "; both must have rank 1 and the same length, at least 1");
}

}  // namespace internal

/// The values at `x` of the function that is linear between the points (xp[i], fp[i]), as numpy.interp: of the shape of
/// `x`, `float` or `double`. `xp` ascends; if it does not, the result means nothing. Left and right of the points it is
/// the first and the last value, or `left` and `right`. At NaN it is NaN (NumPy: not if there is only one point). If
/// several points have one x, it is the value of the last of them.
///
///     Tensor y = interp(x, xp, fp);
///     Tensor z = interp(x, xp, fp, {.left = 0, .right = 0});
///
/// Throws `ShapeError` unless `xp` and `fp` have rank 1 and the same length, at least 1. The gradient at a point is that
/// of the line to its right, at the last point that of the line to its left.
template <TensorLike X, TensorLike P, TensorLike F>
  requires internal::InterpolatedElement<value_type_t<X>> && internal::agrees<P, value_type_t<X>, device_t<X>> &&
           internal::agrees<F, value_type_t<X>, device_t<X>>
[[nodiscard]] applied_t<X, P, F> interp(const X& x, const P& xp, const F& fp, const InterpOptions& options = {}) {
  internal::require_points(xp.shape(), fp.shape());
  const auto points = eval(xp);
  const auto values = eval(fp);
  const auto at = eval(x);
  const std::int64_t last = points.shape()[0] - 1;
  const auto right = eval(minimum(maximum(searchsorted(points, at, SearchSide::right), last > 0 ? 1 : 0), last));
  const auto left = eval(maximum(right - 1, 0));
  const internal::InterpolatedLine line{options.left.value_or(0), options.right.value_or(0), options.left.has_value(),
                                        options.right.has_value()};
  return map(line, at, take(points, left, 0), take(points, right, 0), take(values, left, 0), take(values, right, 0));
}
/// The value at a number, of rank 0.
///
///     const float at_half = interp(0.5, xp, fp).item();
template <class V, TensorLike P, TensorLike F>
  requires internal::InterpolatedElement<value_type_t<P>> && internal::WeakScalarFor<V, value_type_t<P>> &&
           internal::agrees<F, value_type_t<P>, device_t<P>>
[[nodiscard]] applied_t<P, F> interp(V x, const P& xp, const F& fp, const InterpOptions& options = {}) {
  using T = value_type_t<P>;
  return interp(full<T>({}, internal::element_from_scalar<T>(x, "interp"), device_t<P>{}), xp, fp, options);
}
template <class P, class F>
Tensor<float, Cpu> interp(operation_undefined_for_elements<internal::OfInterpolation>::fix_call_cast, const P&,
                          const F&, const InterpOptions& = {});
template <class D, class F>
on_device<D> interp(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const F&, const InterpOptions& = {});
template <class D>
on_device<D> interp(const on_device<D>&, const on_device<D>&,
                    typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                    const InterpOptions& = {});
template <class T, class D, class F>
placed<T, D> interp(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const F&,
                    const InterpOptions& = {});
template <class T, class D>
placed<T, D> interp(const placed<T, D>&, const placed<T, D>&,
                    typename element_types_differ<T, D>::template fix_call_cast<T>, const InterpOptions& = {});

}  // namespace situ
