// SPDX-License-Identifier: Apache-2.0
// Linear systems and inverses: solve, inv.
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
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct SolversHeader;
void is_included(const SolversHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

namespace internal {

namespace operation {

struct Inverse : OfMatrices<Inverse> {
  LinAlgOperation name = LinAlgOperation::inv;

  template <TensorLike A>
  [[nodiscard]] tensor_of_t<A> operator()(const A& a) const {
    using T = value_type_t<A>;
    using D = device_t<A>;
    const Tensor<T, D>& left = internal::operand_value(a);
    Storage<D> storage = allocate_elements<T, D>(left.shape());
    if (left.size() > 0) {
      const MatricesOperand<T, D> x(left);
      call_kernel<D, kernels::Inverse, InvertsMatrices<backend_t<D>, T>>(
          [&](auto backend) { invert_matrices(backend, name, x.matrices, static_cast<T*>(storage.data())); },
          writes<T>(storage), internal::reads(x.tensor));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(left.shape()));
  }

  static constexpr unsigned gradient_reads = reads::result;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& y, const Shape&) const {
    return -matmul(transpose(y), matmul(g, transpose(y)));
  }
};

struct Solve : OfMatrices<Solve> {
  template <TensorLike A, TensorLike B>
  [[nodiscard]] tensor_of_t<A> operator()(const A& a, const B& b) const {
    using T = value_type_t<A>;
    using D = device_t<A>;
    const Tensor<T, D>& left = internal::operand_value(a);
    const Tensor<T, D>& right = internal::operand_value(b);
    check_right_hand_side(left.shape(), right.shape(), "solve");
    return solutions<kernels::Solve, SolvesMatrices<backend_t<D>, T>>(
        left, right, "solve", [](auto backend, const auto& x, const auto& y, T* out) {
          solve_matrices(backend, LinAlgOperation::solve, x, y, out);
        });
  }

  static constexpr bool shares_work = true;
  template <std::size_t At>
  static constexpr unsigned gradient_reads = At == 0 ? reads::operand<0> | reads::result : reads::operand<0>;
  template <Element T, Device D, class B>
  [[nodiscard]] std::array<Tensor<T, D>, 2> gradients(const std::array<bool, 2>& wanted, const Tensor<T, D>& g,
                                                      const Tensor<T, D>& x, const Tensor<T, D>& a, const B& b) const {
    const Tensor<T, D> right = (*this)(transpose(a), g);
    std::array<Tensor<T, D>, 2> results;
    if (wanted[0]) results[0] = -sum_to(matmul(right, transpose(x)), a.shape());
    if (wanted[1]) results[1] = sum_to(right, b);
    return results;
  }
};

}  // namespace operation

}  // namespace internal

/// The solution X of A X = B, by LU with partial pivoting: A (..., n, n) and B (..., n, k) -> (..., n, k), the axes
/// before the last two broadcast; a vector B (n,) -> (..., n). (As in NumPy 2, B is a vector only if its rank is 1.)
/// `float` and `double`. Throws `LinAlgError` if a pivot is 0 (on a GPU with the next transfer to the host),
/// `ShapeError` if shapes do not fit. Gradients: Giles 2008, "Collected matrix derivative results", 2.3.1.
///
///     Tensor x = solve(a, b);              // (20, 3, 3), (3,) -> (20, 3)
template <class A, class B>
  requires internal::LinAlgTensors<A, B>
[[nodiscard]] applied_t<A, B> solve(const A& a, const B& b) {
  return internal::with_columns(a, b, [](const auto& left, const auto& right) {
    return internal::apply(internal::operation::Solve{}, left, right);
  });
}
template <class D>
on_device<D> solve(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> solve(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(!internal::LinAlgElement<T>)
Tensor<T, D> solve(const placed<T, D>&,
                   typename operation_undefined_for_elements<internal::operation::Solve, T, D>::fix_call_cast);

/// The inverse of every matrix, (..., n, n). `solve(a, b)` is faster than `matmul(inv(a), b)`, and more accurate.
/// Throws `LinAlgError` if a pivot is 0, `ShapeError` unless the matrices are square. Gradient: Giles 2008, 2.2.3.
///
///     Tensor precision = inv(covariance);
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> inv(const A& a) {
  internal::check_matrices(a.shape(), "inv", true);
  return internal::apply(internal::operation::Inverse{}, a);
}
template <class... Rest>
Tensor<float, Cpu> inv(operation_undefined_for_elements<internal::operation::Inverse>::fix_call_cast, const Rest&...);

}  // namespace situ
