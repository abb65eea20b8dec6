// SPDX-License-Identifier: Apache-2.0
// `cdist`: the distances between all points of one list and all of another.
#pragma once

#include <cstddef>
#include <limits>
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
#include <situ/ops/creation.hpp>
#include <situ/ops/norm.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/unary.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {

/// Computed from the differences, in the pass that sums them: there is no tensor of differences.
///
/// Rejected for the Euclidean distance: |x|² + |y|² - 2 x·y by a matrix product, as PyTorch does from 26 points on. It
/// is far faster on the CPU (1000 points by 1000 of 64 floats, one thread: 2.6 ms, where this takes 330), but for close
/// points far from 0 the result is noise: the distance of a point to itself is not 0, and of an infinite point NaN.
struct Cdist : functional::OfFloating<Cdist> {
  NormOrder order;
  template <std::size_t>
  static constexpr unsigned gradient_reads = reads::result | reads::operand<0> | reads::operand<1>;

  template <TensorLike X, TensorLike Y>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x, const Y& y) const {
    const tensor_of_t<X> a = unsqueeze(x, -2);
    const tensor_of_t<X> b = unsqueeze(y, -3);
    if (a.extent(-1) == 0) return norm(a - b, {-1});  // 0; no elements have no largest
    return norm(a - b, {-1}, order);
  }

  /// As in PyTorch: the gradient of a distance of 0 is 0, and each of several largest differences gets all of it.
  template <std::size_t At, Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& distances, const Tensor<T, D>& x,
                                      const Tensor<T, D>& y) const {
    const Tensor<T, D> a = unsqueeze(x, -2);
    const Tensor<T, D> b = unsqueeze(y, -3);
    const Tensor<T, D> from = unsqueeze(At == 0 ? g : Tensor<T, D>(-g), -1);
    const Tensor<T, D> distance = unsqueeze(distances, -1);
    constexpr int others = At == 0 ? -2 : -3;
    const Shape& shape = At == 0 ? x.shape() : y.shape();
    if (order.value == 1) return sum_to(sum(sign(a - b) * from, others), shape);
    if (order.value == 2) return sum_to(sum((a - b) * quotient_or_zero(from, distance), others), shape);
    return sum_to(sum(where(abs(a - b) == distance, sign(a - b) * from, T(0)), others), shape);
  }
};

}  // namespace internal::operation

/// The distance of every point of `x` from every point of `y`, lists of points along their last axis: (..., m, k) and
/// (..., n, k) -> (..., m, n), the axes before them broadcast. Orders are 1, 2 and infinity, as in `norm`. Throws
/// `ShapeError` for points of different length or an operand that is not a list of points, `ValueError` for another
/// order.
///
///     Tensor nearest = argmin(cdist(points, centres), 1);
template <TensorLike X, TensorLike Y>
  requires FloatingElement<value_type_t<X>> && internal::agrees<Y, value_type_t<X>, device_t<X>>
[[nodiscard]] applied_t<X, Y> cdist(const X& x, const Y& y, NormOrder order = {}) {
  const Shape a = x.shape();
  const Shape b = y.shape();
  if (a.rank() < 2 || b.rank() < 2 || a[-1] != b[-1]) {
    throw ShapeError("cdist: shapes " + a.to_string() + " and " + b.to_string() +
                     " are not lists of points of one length, such as (m, k) and (n, k)");
  }
  if (order.value != 1 && order.value != 2 && order.value != std::numeric_limits<double>::infinity()) {
    throw ValueError("cdist: order " + std::to_string(order.value) + " is not 1, 2 or infinity");
  }
  internal::operation::Cdist distances;
  distances.order = order;
  return internal::apply(distances, x, y);
}
template <class D>
on_device<D> cdist(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                   NormOrder = {});
template <class T, class D>
placed<T, D> cdist(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, NormOrder = {});
template <Element T, Device D>
  requires(!FloatingElement<T>)
Tensor<T, D> cdist(const placed<T, D>&,
                   typename operation_undefined_for_elements<internal::operation::Cdist, T, D>::fix_call_cast,
                   NormOrder = {});

}  // namespace situ
