// SPDX-License-Identifier: Apache-2.0
// `tensordot`: a product over axes that are known at run time, by `matmul`. For axes known at compile time, `einsum`
// expresses the same in letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

namespace operation {
struct Tensordot : functional::OfNumbers<Tensordot> {};
}  // namespace operation

/// An operand of `tensordot` as a matrix: its free axes in their order, and those that are summed over, in the order
/// named.
struct ContractedAxes {
  std::vector<std::int64_t> free;
  std::vector<std::int64_t> summed;
  Shape free_shape;
  std::int64_t rows = 1;     // elements of the free axes
  std::int64_t columns = 1;  // of the summed axes

  ContractedAxes(const Shape& shape, std::span<const std::int64_t> axes) {
    const std::uint32_t set = ReduceAxes(axes).of(shape, "tensordot");
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if ((set >> axis & 1U) != 0) continue;
      free.push_back(axis);
      free_shape.push_back(shape[axis]);
    }
    rows = free_shape.count();
    Shape summed_shape;
    for (const std::int64_t axis : axes) {
      summed.push_back(normalize_axis(axis, shape.rank(), "tensordot"));
      summed_shape.push_back(shape[summed.back()]);
    }
    columns = summed_shape.count();
  }
};

}  // namespace internal

/// The products of the elements of `a` and `b`, summed over equally many axes of each, paired in the order in which
/// they are named. The result has the other axes of `a`, then those of `b` (NumPy's tensordot). Throws `ShapeError` for
/// axes of different extents or number, or a result of more than `max_rank` axes; `IndexError` for an axis out of range
/// or named twice.
///
///     Tensor y = tensordot(a, b, {1, 2}, {0, 3});       // einsum<"ijk,jlmk->ilm">(a, b)
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] internal::product_t<A, B> tensordot(const A& a, const B& b, std::span<const std::int64_t> axes_of_a,
                                                  std::span<const std::int64_t> axes_of_b) {
  const Shape left_shape = a.shape();
  const Shape right_shape = b.shape();
  const internal::ContractedAxes left(left_shape, axes_of_a);
  const internal::ContractedAxes right(right_shape, axes_of_b);
  bool fits = left.summed.size() == right.summed.size();
  for (std::size_t i = 0; fits && i < left.summed.size(); ++i) {
    fits = left_shape[static_cast<int>(left.summed[i])] == right_shape[static_cast<int>(right.summed[i])];
  }
  const auto of_result = left.free.size() + right.free.size();
  if (!fits || of_result > static_cast<std::size_t>(internal::max_rank)) {
    const std::string why =
        fits
            ? " give " + std::to_string(of_result) + " axes; a tensor has at most " + std::to_string(internal::max_rank)
            : " over " + std::to_string(left.summed.size()) + " and " + std::to_string(right.summed.size()) +
                  " axes do not fit: those that are summed over must have equal extents, pair by pair";
    throw ShapeError("tensordot: shapes " + left_shape.to_string() + " and " + right_shape.to_string() + why);
  }
  std::vector<std::int64_t> left_order = left.free;
  left_order.insert(left_order.end(), left.summed.begin(), left.summed.end());
  std::vector<std::int64_t> right_order = right.summed;
  right_order.insert(right_order.end(), right.free.begin(), right.free.end());
  Shape shape = left.free_shape;
  for (const std::int64_t extent : right.free_shape) shape.push_back(extent);
  return reshape(matmul(reshape(permute(a, left_order), Shape{left.rows, left.columns}),
                        reshape(permute(b, right_order), Shape{right.columns, right.rows})),
                 shape);
}
/// `tensordot` with the axes in braces.
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] internal::product_t<A, B> tensordot(const A& a, const B& b, std::initializer_list<std::int64_t> axes_of_a,
                                                  std::initializer_list<std::int64_t> axes_of_b) {
  return tensordot(a, b, std::span<const std::int64_t>(axes_of_a.begin(), axes_of_a.size()),
                   std::span<const std::int64_t>(axes_of_b.begin(), axes_of_b.size()));
}
/// Over the last `count` axes of `a` and the first `count` of `b`: 1 is the matrix product, 0 the outer product.
template <class A, class B>
  requires internal::Multipliable<A, B>
[[nodiscard]] internal::product_t<A, B> tensordot(const A& a, const B& b, int count = 2) {
  if (count < 0 || count > a.shape().rank() || count > b.shape().rank()) {
    throw ShapeError("tensordot: " + std::to_string(count) + " axes of shapes " + a.shape().to_string() + " and " +
                     b.shape().to_string() + "; both must have as many");
  }
  std::vector<std::int64_t> last, first;
  for (int i = 0; i < count; ++i) {
    last.push_back(i - count);
    first.push_back(i);
  }
  return tensordot(a, b, std::span<const std::int64_t>(last), std::span<const std::int64_t>(first));
}
template <class D, class... Rest>
on_device<D> tensordot(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                       const Rest&...);
template <class T, class D, class... Rest>
placed<T, D> tensordot(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                       const Rest&...);
template <Element T, Device D, class... Rest>
  requires(!NumberElement<T>)
Tensor<T, D> tensordot(const placed<T, D>&,
                       typename operation_undefined_for_elements<internal::operation::Tensordot, T, D>::fix_call_cast,
                       const Rest&...);

}  // namespace situ
