// SPDX-License-Identifier: Apache-2.0
// The Cholesky factorization, and linear systems solved with it: cholesky, cholesky_solve.
#pragma once

#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/every_kernel.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/triangular.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/triangle.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct CholeskyFactorHeader;
void is_included(const CholeskyFactorHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

namespace internal::operation {

struct Cholesky : OfMatrices<Cholesky> {
  template <TensorLike A>
  [[nodiscard]] tensor_of_t<A> operator()(const A& a) const {
    using T = value_type_t<A>;
    using D = device_t<A>;
    const Tensor<T, D>& matrix = internal::operand_value(a);
    Storage<D> storage = allocate_elements<T, D>(matrix.shape());
    if (matrix.size() > 0) {
      const MatricesOperand<T, D> x(matrix);
      call_kernel<D, kernels::Cholesky, FactorsCholesky<backend_t<D>, T>>(
          [&](auto backend) { factor_cholesky(backend, x.matrices, true, static_cast<T*>(storage.data())); },
          writes<T>(storage), internal::reads(x.tensor));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(matrix.shape()));
  }

  static constexpr unsigned gradient_reads = reads::result;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& l, const Shape&) const {
    const SolveTriangular solve{{}, situ::Triangle::upper};
    const Tensor<T, D> product = matmul(transpose(l), g);
    const Tensor<T, D> halved = (tril(product) + tril(product, -1)) * static_cast<T>(0.5);
    const Tensor<T, D> s = solve(transpose(l), transpose(solve(transpose(l), halved)));  // that of all A, transposed
    return (s + transpose(s)) * static_cast<T>(0.5);
  }
};

}  // namespace internal::operation

/// The lower triangular L of A = L L^T, with a positive diagonal, for every matrix (..., n, n), which must be symmetric
/// and positive definite. `float` and `double`. Throws `LinAlgError` if an element differs from its mirror image by
/// more than the square root of epsilon (1.5e-8 for `double`, 5e-4 for `float`) times the largest magnitude, or if a
/// leading minor is not positive, or NaN; `ShapeError` unless the matrices are square. The gradient is symmetric, that
/// of a function of symmetric matrices (Murray 2016, "Differentiation of the Cholesky decomposition", 10).
///
///     Tensor l = cholesky(kernel + noise * eye(n));
///     Tensor log_det = 2.0f * sum(log(diagonal(l)));
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> cholesky(const A& a) {
  internal::check_matrices(a.shape(), "cholesky", true);
  return internal::apply(internal::operation::Cholesky{}, a);
}
template <class... Rest>
Tensor<float, Cpu> cholesky(operation_undefined_for_elements<internal::operation::Cholesky>::fix_call_cast,
                            const Rest&...);

/// The solution X of L L^T X = B for the L from `cholesky`; shapes as in `solve`. Throws `LinAlgError` if an element of
/// the diagonal is 0, `ShapeError` if shapes do not fit.
///
///     Tensor x = cholesky_solve(cholesky(a), b);     // solve(a, b), in half the time
template <class L, class B>
  requires internal::LinAlgTensors<L, B>
[[nodiscard]] applied_t<L, B> cholesky_solve(const L& l, const B& b) {
  using internal::operation::SolveTriangular;
  constexpr auto name = internal::LinAlgOperation::cholesky_solve;
  return internal::with_columns(l, b, [](const auto& left, const auto& right) {
    internal::check_right_hand_side(left.shape(), right.shape(), "cholesky_solve");
    const applied_t<L> factor = eval(left);  // read twice
    const applied_t<L, B> y =
        internal::apply(SolveTriangular{{}, Triangle::lower, UnitDiagonal::no, name}, factor, right);
    return internal::apply(SolveTriangular{{}, Triangle::upper, UnitDiagonal::no, name}, transpose(factor), y);
  });
}
template <class D>
on_device<D> cholesky_solve(const on_device<D>&,
                            typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> cholesky_solve(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(!internal::LinAlgElement<T>)
Tensor<T, D> cholesky_solve(
    const placed<T, D>&, typename operation_undefined_for_elements<internal::operation::Cholesky, T, D>::fix_call_cast);

}  // namespace situ
