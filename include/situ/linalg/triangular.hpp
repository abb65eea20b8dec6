// SPDX-License-Identifier: Apache-2.0
// Linear systems with a triangular matrix: solve_triangular.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/every_kernel.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/triangle.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Whether the diagonal of a triangular matrix is taken as 1, and not read.
enum class UnitDiagonal : bool { no, yes };

namespace internal::operation {

struct SolveTriangular : OfMatrices<SolveTriangular> {
  situ::Triangle triangle;
  UnitDiagonal unit = UnitDiagonal::no;
  LinAlgOperation name = LinAlgOperation::solve_triangular;

  template <TensorLike A, TensorLike B>
  [[nodiscard]] tensor_of_t<A> operator()(const A& a, const B& b) const {
    using T = value_type_t<A>;
    using D = device_t<A>;
    const Tensor<T, D>& left = internal::operand_value(a);
    const Tensor<T, D>& right = internal::operand_value(b);
    check_right_hand_side(left.shape(), right.shape(), "solve_triangular");
    return solutions<kernels::SolveTriangular, SolvesTriangles<backend_t<D>, T>>(
        left, right, "solve_triangular", [this](auto backend, const auto& x, const auto& y, T* out) {
          solve_triangles(backend, name, x, triangle, unit == UnitDiagonal::yes, y, out);
        });
  }

  static constexpr bool shares_work = true;
  template <std::size_t At>
  static constexpr unsigned gradient_reads = At == 0 ? reads::operand<0> | reads::result : reads::operand<0>;
  template <Element T, Device D, class B>
  [[nodiscard]] std::array<Tensor<T, D>, 2> gradients(const std::array<bool, 2>& wanted, const Tensor<T, D>& g,
                                                      const Tensor<T, D>& x, const Tensor<T, D>& a, const B& b) const {
    const bool lower = triangle == situ::Triangle::lower;
    const SolveTriangular transposed{{}, lower ? situ::Triangle::upper : situ::Triangle::lower, unit, name};
    const Tensor<T, D> right = transposed(transpose(a), g);
    std::array<Tensor<T, D>, 2> results;
    if (wanted[0]) {
      const Tensor<T, D> whole = -sum_to(matmul(right, transpose(x)), a.shape());
      const std::int64_t beside = unit == UnitDiagonal::yes ? 1 : 0;
      results[0] = lower ? tril(whole, -beside) : triu(whole, beside);
    }
    if (wanted[1]) results[1] = sum_to(right, b);
    return results;
  }
};

}  // namespace internal::operation

/// The solution X of A X = B for a triangular A: the elements on the other side of the diagonal are not read, nor is
/// the diagonal with `UnitDiagonal::yes`, which takes it as 1. Shapes as in `solve`. Throws `LinAlgError` if an element
/// of the diagonal is 0, `ShapeError` if shapes do not fit.
///
///     Tensor y = solve_triangular(l, b, Triangle::lower);
template <class A, class B>
  requires internal::LinAlgTensors<A, B>
[[nodiscard]] applied_t<A, B> solve_triangular(const A& a, const B& b, Triangle triangle,
                                               UnitDiagonal unit = UnitDiagonal::no) {
  return internal::with_columns(a, b, [&](const auto& left, const auto& right) {
    return internal::apply(internal::operation::SolveTriangular{{}, triangle, unit}, left, right);
  });
}
template <class D>
on_device<D> solve_triangular(const on_device<D>&,
                              typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, Triangle,
                              UnitDiagonal = UnitDiagonal::no);
template <class T, class D>
placed<T, D> solve_triangular(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                              Triangle, UnitDiagonal = UnitDiagonal::no);
template <Element T, Device D>
  requires(!internal::LinAlgElement<T>)
Tensor<T, D> solve_triangular(
    const placed<T, D>&,
    typename operation_undefined_for_elements<internal::operation::SolveTriangular, T, D>::fix_call_cast, Triangle,
    UnitDiagonal = UnitDiagonal::no);

}  // namespace situ
