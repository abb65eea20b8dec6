// SPDX-License-Identifier: Apache-2.0
// Products other than the matrix product: kron, cross.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// Shapes whose broadcast product has the elements of the Kronecker product in order: each pair of axes becomes two,
/// one from each tensor; or one if an extent is 1.
struct KroneckerShapes {
  Shape left;
  Shape right;
  Shape result;

  KroneckerShapes(const Shape& a, const Shape& b) {
    const int rank = std::max(a.rank(), b.rank());
    const auto extent = [&](const Shape& shape, int axis) {
      return axis < rank - shape.rank() ? 1 : shape[axis - rank];
    };
    int needed = 0;
    for (int i = 0; i < rank; ++i) needed += extent(a, i) == 1 || extent(b, i) == 1 ? 1 : 2;
    if (needed > max_rank) {
      throw ShapeError("kron: shapes " + a.to_string() + " and " + b.to_string() + " need " + std::to_string(needed) +
                       " axes in between; at most " + std::to_string(max_rank) + " are possible");
    }
    for (int i = 0; i < rank; ++i) {
      const std::int64_t m = extent(a, i);
      const std::int64_t n = extent(b, i);
      left.push_back(m);
      if (m != 1 && n != 1) {
        left.push_back(1);
        right.push_back(1);
      }
      right.push_back(n);
      result.push_back(product_of_extents(m, n, "kron"));
    }
  }
};

namespace operation {

struct Kron : functional::OfNumbersAndComplex<Kron> {};
struct Cross : functional::OfNumbersAndComplex<Cross> {};

}  // namespace operation

}  // namespace internal

/// The Kronecker product: blocks of `b`, each times an element of `a`. (m, n) and (p, q) -> (m p, n q), and likewise
/// along any number of axes; 1 is prepended to the shorter shape. Throws `ShapeError` if that takes more than
/// `max_rank` axes, two for each axis in which both have more than one position.
///
///     Tensor blocks = kron(eye(3), a);       // `a` three times along the diagonal
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] applied_t<A, B> kron(const A& a, const B& b) {
  const internal::KroneckerShapes shapes(a.shape(), b.shape());
  return reshape(reshape(a, shapes.left) * reshape(b, shapes.right), shapes.result);
}
template <class D>
on_device<D> kron(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> kron(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(!NumberElement<T> && !ComplexElement<T>)
Tensor<T, D> kron(const placed<T, D>&,
                  typename operation_undefined_for_elements<internal::operation::Kron, T, D>::fix_call_cast);

/// The cross product of vectors of 3 elements along an axis, the other axes broadcast. `axis` counts in the broadcast
/// shape. Throws `ShapeError` unless both have 3 elements along it, `IndexError` for an axis out of range.
///
///     Tensor normal = cross(edge, other);       // (n, 3), (n, 3) -> (n, 3)
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] applied_t<A, B> cross(const A& a, const B& b, std::int64_t axis = -1) {
  const Shape left = a.shape();
  const Shape right = b.shape();
  const int rank = std::max(left.rank(), right.rank());
  const int from_back = internal::normalize_axis(axis, rank, "cross") - rank;
  const auto has_three = [&](const Shape& shape) { return from_back >= -shape.rank() && shape[from_back] == 3; };
  if (!has_three(left) || !has_three(right)) {
    throw ShapeError("cross: shapes " + left.to_string() + " and " + right.to_string() + " along axis " +
                     std::to_string(axis) + "; both need 3 elements there");
  }
  const applied_t<A> x = eval(a);
  const applied_t<B> y = eval(b);
  // element i is x[i + 1] y[i + 2] - x[i + 2] y[i + 1]
  return roll(x, -1, from_back) * roll(y, -2, from_back) - roll(x, -2, from_back) * roll(y, -1, from_back);
}
template <class D>
on_device<D> cross(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                   int = -1);
template <class T, class D>
placed<T, D> cross(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, int = -1);
template <Element T, Device D>
  requires(!NumberElement<T> && !ComplexElement<T>)
Tensor<T, D> cross(const placed<T, D>&,
                   typename operation_undefined_for_elements<internal::operation::Cross, T, D>::fix_call_cast,
                   int = -1);

}  // namespace situ
