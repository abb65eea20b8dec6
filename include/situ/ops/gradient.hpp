// SPDX-License-Identifier: Apache-2.0
// `gradient`: the derivative along an axis of a function that is known at points, by differences. The gradients of
// variables are in autograd/.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Options of `gradient`.
struct GradientOptions {
  /// The distance of neighbors.
  double spacing = 1;
  std::int64_t axis = -1;
  /// The accuracy at the two ends: 1 or 2. Between them it is 2.
  int edge_order = 1;
};

namespace internal {

/// The operation, for error messages.
struct OfGradient : functional::OfFloating<OfGradient> {
  static constexpr const char* name = "gradient";
};

/// The axis. Throws `ValueError` for another order than 1 and 2, `ShapeError` for too few positions.
[[nodiscard]] inline int axis_of_gradient(const Shape& shape, const GradientOptions& options) {
  const int axis = normalize_axis(options.axis, shape.rank(), "gradient");
  if (options.edge_order != 1 && options.edge_order != 2) {
    throw ValueError("gradient: an edge_order of " + std::to_string(options.edge_order) + "; it can be 1 or 2");
  }
  if (shape[axis] <= options.edge_order) {
    throw ShapeError("gradient: axis " + std::to_string(axis) + " of shape " + shape.to_string() + " has fewer than " +
                     std::to_string(options.edge_order + 1) + " positions, which an edge_order of " +
                     std::to_string(options.edge_order) + " takes");
  }
  return axis;
}

}  // namespace internal

/// The derivative along an axis, by default the last, of values at equal distances: (x[i + 1] - x[i - 1]) / (2 spacing),
/// and at both ends one-sided differences, of two values, or with `edge_order` 2 of three. As numpy.gradient with an
/// axis; without one NumPy's is a list, of all axes. For floating elements.
///
///     Tensor speed = gradient(position, {.spacing = 0.01});
///     Tensor slope = gradient(height, {.spacing = 30, .axis = 0, .edge_order = 2});
///
/// Throws `ShapeError` if there are not more positions than `edge_order`, `ValueError` for an `edge_order` other than 1
/// and 2, `IndexError` for an axis out of range.
template <TensorLike X>
  requires FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X> gradient(const X& x, const GradientOptions& options = {}) {
  const applied_t<X> f(x);
  const int axis = internal::axis_of_gradient(f.shape(), options);
  const std::int64_t n = f.shape()[axis];
  const double h = options.spacing;
  const auto at = [&](std::int64_t position) { return narrow(f, axis, position, 1); };
  const auto inside = (narrow(f, axis, 2, n - 2) - narrow(f, axis, 0, n - 2)) / (2 * h);
  if (options.edge_order == 1) return concat((at(1) - at(0)) / h, inside, (at(n - 1) - at(n - 2)) / h, axis);
  return concat((at(0) * -1.5 + at(1) * 2.0 - at(2) * 0.5) / h, inside,
                (at(n - 3) * 0.5 - at(n - 2) * 2.0 + at(n - 1) * 1.5) / h, axis);
}

/// The same of values at `coordinates`, a vector with one for each position of the axis, which need not be equally far
/// apart. Between the ends it is exact for polynomials of degree 2, as numpy.gradient; `spacing` is not used.
///
///     Tensor speed = gradient(position, time, {.axis = 0});
///
/// Throws `ShapeError` also for another number of coordinates. If two neighbors are equal, their results are infinite or
/// NaN.
template <TensorLike X, TensorLike C>
  requires FloatingElement<value_type_t<X>> && internal::agrees<C, value_type_t<X>, device_t<X>>
[[nodiscard]] applied_t<X, C> gradient(const X& x, const C& coordinates, const GradientOptions& options = {}) {
  const applied_t<X> f(x);
  const int axis = internal::axis_of_gradient(f.shape(), options);
  const std::int64_t n = f.shape()[axis];
  if (!(coordinates.shape() == Shape{n})) {
    throw ShapeError("gradient: coordinates of shape " + coordinates.shape().to_string() + " for axis " +
                     std::to_string(axis) + " of shape " + f.shape().to_string() + "; it takes a vector of " +
                     std::to_string(n));
  }
  Shape along;
  for (int i = 0; i < f.shape().rank(); ++i) along.push_back(i == axis ? n : 1);
  const applied_t<C> places = reshape(coordinates, along);
  const auto at = [&](std::int64_t position) { return narrow(f, axis, position, 1); };
  const auto steps = eval(narrow(places, axis, 1, n - 1) - narrow(places, axis, 0, n - 1));
  const auto step = [&](std::int64_t position) { return narrow(steps, axis, position, 1); };
  const auto before = narrow(steps, axis, 0, n - 2), after = narrow(steps, axis, 1, n - 2);
  // The derivative, in the middle, of the parabola through three points.
  const auto inside = narrow(f, axis, 0, n - 2) * (-after / (before * (before + after))) +
                      narrow(f, axis, 1, n - 2) * ((after - before) / (before * after)) +
                      narrow(f, axis, 2, n - 2) * (before / (after * (before + after)));
  if (options.edge_order == 1) {
    return concat((at(1) - at(0)) / step(0), inside, (at(n - 1) - at(n - 2)) / step(n - 2), axis);
  }
  const auto a = step(0), b = step(1), c = step(n - 3), d = step(n - 2);
  return concat(
      at(0) * (-(2.0 * a + b) / (a * (a + b))) + at(1) * ((a + b) / (a * b)) + at(2) * (-a / (b * (a + b))), inside,
      at(n - 3) * (d / (c * (c + d))) + at(n - 2) * (-(c + d) / (c * d)) + at(n - 1) * ((2.0 * d + c) / (d * (c + d))),
      axis);
}
template <class... Rest>
Tensor<float, Cpu> gradient(operation_undefined_for_elements<internal::OfGradient>::fix_call_cast, const Rest&...);
template <Element T, Device D>
Tensor<T, D> gradient(const placed<T, D>&,
                      the_second_argument_of_gradient_could_be_a_spacing_or_an_axis::fix_write_which_in_braces);
template <class D>
on_device<D> gradient(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                      const GradientOptions& = {});
template <class T, class D>
placed<T, D> gradient(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                      const GradientOptions& = {});

}  // namespace situ
