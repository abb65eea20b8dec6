// SPDX-License-Identifier: Apache-2.0
// Functions of the singular values: `pinv matrix_rank cond`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/determinant.hpp>
#include <situ/linalg/norms.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/solve.hpp>
#include <situ/linalg/svd.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/norm.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// Which singular values count: those above `tolerance` times the largest of their matrix.
template <Element T, Device D>
[[nodiscard]] Tensor<bool, D> values_that_count(const Tensor<T, D>& s, double tolerance) {
  return s > max(s, -1, keepdims) * static_cast<T>(tolerance);
}

namespace operation {

struct Pinv : OfMatrices<Pinv> {
  double tolerance;

  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>& a) const {
    if (a.size() == 0) return zeros<T>(shape_of_batch(batch_shape(a.shape()), {a.extent(-1), a.extent(-2)}), D{});
    const auto [u, s, vh] = singular_values(a, true, FullMatrices::no, LinAlgOperation::pinv);
    const Tensor<T, D> inverse = where(values_that_count(s, tolerance), T(1) / s, T(0));
    return matmul(transpose(vh) * unsqueeze(inverse, -2), transpose(u));
  }

  // dA = -P^T dP P^T + (I - A P) dP^T P P^T + P^T P dP^T (I - P A)
  static constexpr unsigned gradient_reads = reads::result | reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& p, const Tensor<T, D>& a) const {
    if (a.size() == 0) return a;
    const Tensor<T, D> left = matmul(transpose(g), matmul(p, transpose(p)));
    const Tensor<T, D> right = matmul(matmul(transpose(p), p), transpose(g));
    return left - matmul(a, matmul(p, left)) + right - matmul(matmul(right, p), a) -
           matmul(transpose(p), matmul(g, transpose(p)));
  }
};

/// The composed operations, for error messages.
struct MatrixRank : OfMatrices<MatrixRank> {};
struct Cond : OfMatrices<Cond> {};

}  // namespace operation

}  // namespace internal

/// The Moore-Penrose pseudoinverse, (..., m, n) -> (..., n, m), by `svd`: singular values up to `rcond` times the
/// largest count as 0; by default epsilon times the larger extent. For a system of equations `lstsq_rank_revealing(a,
/// b)` is faster than `matmul(pinv(a), b)`.
///
///     Tensor x = pinv(a);                          // matmul(matmul(a, x), a) is a
///
/// Throws `ShapeError` unless x is a matrix, `ValueError` for a negative `rcond`, `LinAlgError` for NaN or infinite
/// elements. The gradient is that at constant rank: Golub and Pereyra, "The differentiation of pseudo-inverses and
/// nonlinear least squares problems whose variables separate" (1973).
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> pinv(const A& a, std::optional<double> rcond = {}) {
  internal::check_matrices(a.shape(), "pinv");
  const double tolerance = internal::relative_tolerance<value_type_t<A>>(a.shape(), rcond, "pinv: rcond");
  return internal::apply(internal::operation::Pinv{{}, tolerance}, eval(a));
}
template <class... Rest>
Tensor<float, Cpu> pinv(operation_undefined_for_elements<internal::operation::Pinv>::fix_call_cast, const Rest&...);

/// The rank of each matrix, (..., m, n) -> (...): the number of singular values above `rtol` times the largest; by
/// default epsilon times the larger extent. 0 for a matrix without elements. Errors as in `pinv`.
///
///     const std::int64_t rank = matrix_rank(a).item();
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] Tensor<std::int64_t, device_t<A>> matrix_rank(const A& a, std::optional<double> rtol = {}) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  internal::check_matrices(a.shape(), "matrix_rank");
  const double tolerance = internal::relative_tolerance<T>(a.shape(), rtol, "matrix_rank: rtol");
  const Tensor<T, D> x = detach(a);
  if (x.size() == 0) return zeros<std::int64_t>(internal::batch_shape(x.shape()), D{});
  const Tensor<T, D> s =
      internal::singular_values(x, false, FullMatrices::no, internal::LinAlgOperation::matrix_rank).s;
  return sum(cast<std::int64_t>(internal::values_that_count(s, tolerance)), -1);
}
template <class... Rest>
Tensor<std::int64_t, Cpu> matrix_rank(operation_undefined_for_elements<internal::operation::MatrixRank>::fix_call_cast,
                                      const Rest&...);

/// The condition number, (..., m, n) -> (...): the norm of a matrix times that of its inverse, in a norm of
/// `matrix_norm`; by default the largest singular value over the smallest; other norms need square matrices. Infinite
/// for a matrix that is exactly singular.
///
///     const float digits_lost = std::log10(cond(a).item());
///
/// Throws `ShapeError` unless x is a matrix, or a square one where that is needed, and `ValueError` for one without
/// elements; `LinAlgError` for NaN or infinite elements in norms of singular values (`two fro nuc`). Gradients by those
/// of the norms; a singular matrix has none.
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> cond(const A& a, MatrixNorm order = MatrixNorm::two) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  const bool by_values = order == MatrixNorm::two || order == MatrixNorm::minus_two;
  internal::check_matrices(a.shape(), "cond", !by_values);
  if (a.shape()[-1] == 0 || a.shape()[-2] == 0) {
    throw ValueError("cond: the matrices of shape " + a.shape().to_string() + " have no elements");
  }
  const applied_t<A> x = eval(a);
  const auto infinite_where = [](const Tensor<bool, D>& singular, const applied_t<A>& number) -> applied_t<A> {
    return where(singular, std::numeric_limits<T>::infinity(), number);
  };
  if (!by_values && order != MatrixNorm::fro && order != MatrixNorm::nuc) {
    const Tensor<bool, D> singular = slogdet(detach(x)).sign == T(0);
    const applied_t<A> regular =  // a singular matrix is not inverted
        where(unsqueeze(unsqueeze(singular, -1), -1), eye<T>(x.extent(-1), D{}), x);
    return infinite_where(singular, matrix_norm(x, order) * matrix_norm(inv(regular), order));
  }
  const applied_t<A> s = internal::singular_values_of(x, internal::LinAlgOperation::cond);
  const applied_t<A> most = max(s, -1);
  const applied_t<A> least = min(s, -1);
  const Tensor<bool, D> singular = detach(order == MatrixNorm::minus_two ? most : least) == T(0);
  switch (order) {
    case MatrixNorm::fro:
      return infinite_where(singular, norm(s, {-1}) * norm(T(1) / s, {-1}));
    case MatrixNorm::nuc:
      return infinite_where(singular, sum(s, -1) * sum(T(1) / s, -1));
    case MatrixNorm::minus_two:
      return infinite_where(singular, least / most);
    default:
      return infinite_where(singular, most / least);
  }
}
template <class... Rest>
Tensor<float, Cpu> cond(operation_undefined_for_elements<internal::operation::Cond>::fix_call_cast, const Rest&...);

}  // namespace situ
