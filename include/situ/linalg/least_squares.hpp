// SPDX-License-Identifier: Apache-2.0
// Least squares: `lstsq`, and `lstsq_rank_revealing`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/every_kernel.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/qr.hpp>
#include <situ/linalg/triangular.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct LeastSquaresHeader;
void is_included(const LeastSquaresHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// The result of `lstsq_rank_revealing`.
template <TensorLike X>
struct LeastSquares {
  X x;
  Tensor<std::int64_t, device_t<X>> rank;  // one for each matrix of the batch
};

namespace internal {

/// The minimum-norm solutions, and the ranks.
template <Element T, Device D>
[[nodiscard]] LeastSquares<Tensor<T, D>> least_squares_of_any_rank(const Tensor<T, D>& a, const Tensor<T, D>& b,
                                                                   double tolerance) {
  check_right_hand_side(a.shape(), b.shape(), "lstsq_rank_revealing", false);
  const Shape batch = batch_of_both(a, b, "lstsq_rank_revealing");
  const Shape shape = shape_of_batch(batch, {a.extent(-1), b.extent(-1)}).checked();
  if (batch.count() == 0 || a.extent(-2) == 0 || a.extent(-1) == 0) {
    return {zeros<T>(shape, D{}), zeros<std::int64_t>(batch, D{})};
  }
  // without right-hand sides there is still a rank
  const Tensor<T, D> sides = b.extent(-1) > 0 ? b : zeros<T>({b.extent(-2), 1}, D{});
  const MatricesOperand<T, D> left(a, batch);
  const MatricesOperand<T, D> right(sides, batch);
  const Shape solved = shape_of_batch(batch, {a.extent(-1), sides.extent(-1)});
  Storage<D> x = allocate_elements<T, D>(solved);
  Storage<D> rank = allocate_elements<std::int64_t, D>(batch);
  call_kernel<D, kernels::LeastSquares, SolvesLeastSquaresOfAnyRank<backend_t<D>, T>>(
      [&](auto backend) {
        solve_least_squares_of_any_rank(backend, left.matrices, right.matrices, tolerance, static_cast<T*>(x.data()),
                                        static_cast<std::int64_t*>(rank.data()));
      },
      writes<T>(x), writes<std::int64_t>(rank), reads(left.tensor), reads(right.tensor));
  const Tensor<T, D> found(std::move(x), Layout::row_major(solved));
  return {part_of_matrices(found, -1, 0, b.extent(-1)),
          Tensor<std::int64_t, D>(std::move(rank), Layout::row_major(batch))};
}

namespace operation {

struct LeastSquares : OfMatrices<operation::LeastSquares> {
  template <TensorLike A, TensorLike B>
  [[nodiscard]] tensor_of_t<A> operator()(const A& a, const B& b) const {
    using T = value_type_t<A>;
    using D = device_t<A>;
    const Tensor<T, D>& left = internal::operand_value(a);
    const Tensor<T, D>& right = internal::operand_value(b);
    check_right_hand_side(left.shape(), right.shape(), "lstsq", false);
    if (left.extent(-2) < left.extent(-1)) {
      throw ShapeError("lstsq: the matrices of shape " + left.shape().to_string() +
                       " have fewer rows than columns, so x is not unique; lstsq_rank_revealing returns the shortest");
    }
    return solutions<kernels::LeastSquares, SolvesLeastSquares<backend_t<D>, T>>(
        left, right, "lstsq",
        [](auto backend, const auto& x, const auto& y, T* out) { solve_least_squares(backend, x, y, out); });
  }

  // With A = Q R and W = R^-T dX: dB = Q W and dA = (B - A X) (R^-1 W)^T - dB X^T. (Only dB reads the shape of B.)
  static constexpr bool shares_work = true;
  template <std::size_t At>
  static constexpr unsigned gradient_reads = reads::operands(2) | (At == 0 ? reads::result : reads::nothing);
  template <Element T, Device D>
  [[nodiscard]] std::array<Tensor<T, D>, 2> gradients(const std::array<bool, 2>& wanted, const Tensor<T, D>& g,
                                                      const Tensor<T, D>& x, const Tensor<T, D>& a,
                                                      const Tensor<T, D>& b) const {
    const QR<Tensor<T, D>> factors = qr_factors(a, QrMode::reduced);
    const Tensor<T, D> w = solved(situ::Triangle::lower, transpose(factors.r), g);
    const Tensor<T, D> right = matmul(factors.q, w);
    std::array<Tensor<T, D>, 2> results;
    if (wanted[0]) {
      const Tensor<T, D> inverse = solved(situ::Triangle::upper, factors.r, w);
      const Tensor<T, D> residual = b - matmul(a, x);
      results[0] = sum_to(matmul(residual, transpose(inverse)) - matmul(right, transpose(x)), a.shape());
    }
    if (wanted[1]) results[1] = sum_to(right, b.shape());
    return results;
  }

 private:
  template <Element T, Device D>
  [[nodiscard]] static Tensor<T, D> solved(situ::Triangle triangle, const Tensor<T, D>& a, const Tensor<T, D>& b) {
    return SolveTriangular{{}, triangle, UnitDiagonal::no, LinAlgOperation::lstsq}(a, b);
  }
};

/// The operation, for error messages.
struct LeastSquaresRankRevealing : OfMatrices<LeastSquaresRankRevealing> {};

/// The solutions, with gradients by the pseudoinverse P: X = P B, so dB = P^T dX and, by the derivative of P,
/// dA = (B - A X) (P dB)^T - dB X^T + (P^T X) (dX - A^T dB)^T.
template <Element T, Device D>
struct SolutionOfAnyRank {
  double tolerance;
  Tensor<T, D> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&, const Tensor<T, D>&) const { return found; }

  static constexpr bool shares_work = true;
  template <std::size_t>
  static constexpr unsigned gradient_reads = reads::operands(2);  // only dB reads the shape of B
  template <class A, class B>
  [[nodiscard]] std::array<Tensor<T, D>, 2> gradients(const std::array<bool, 2>& wanted, const Tensor<T, D>& g,
                                                      const A& a, const B& b) const {
    const auto solved = [&](const Tensor<T, D>& matrices, const Tensor<T, D>& sides) {
      return least_squares_of_any_rank(matrices, sides, tolerance).x;
    };
    std::array<Tensor<T, D>, 2> results;
    if (!wanted[0]) {
      results[1] = sum_to(solved(transpose(a), g), b.shape());
      return results;
    }
    const std::int64_t sides = g.extent(-1);
    const Tensor<T, D> both = solved(transpose(a), concat(g, found, -1));
    const Tensor<T, D> right = part_of_matrices(both, -1, 0, sides);
    const Tensor<T, D> beside = part_of_matrices(both, -1, sides, 2 * sides);
    const Tensor<T, D> outside = b - matmul(a, found);
    const Tensor<T, D> unseen = g - matmul(transpose(a), right);
    results[0] = sum_to(matmul(outside, transpose(solved(a, right))) - matmul(right, transpose(found)) +
                            matmul(beside, transpose(unseen)),
                        a.shape());
    if (wanted[1]) results[1] = sum_to(right, b.shape());
    return results;
  }
};

}  // namespace operation

}  // namespace internal

/// The X that minimizes |A X - B|, by QR: A (..., m, n) with independent columns, so m >= n, and B (..., m, k) ->
/// (..., n, k), the axes before the last two broadcast; a vector B (m,) -> (..., n). (As in NumPy 2, B is a vector only
/// if its rank is 1.) `float` and `double`.
///
///     Tensor ones_and_x = stack({ones<float>({n}), x}, 1);
///     Tensor line = lstsq(ones_and_x, y);                // y is about line(0) + line(1) * x
///
/// Throws `ShapeError` if shapes do not fit or m < n; `LinAlgError` if, within rounding, a column depends on those
/// before it (on a GPU with the next transfer to the host or wait): `lstsq_rank_revealing` accepts both. The gradient
/// is that of (A^T A)^-1 A^T B, Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares
/// problems whose variables separate" (1973), computed by QR.
template <class A, class B>
  requires internal::LinAlgTensors<A, B>
[[nodiscard]] applied_t<A, B> lstsq(const A& a, const B& b) {
  return internal::with_columns(a, b, [](const auto& left, const auto& right) {
    return internal::apply(internal::operation::LeastSquares{}, left, right);
  });
}
template <class D>
on_device<D> lstsq(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> lstsq(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <Element T, Device D>
  requires(!internal::LinAlgElement<T>)
Tensor<T, D> lstsq(const placed<T, D>&,
                   typename operation_undefined_for_elements<internal::operation::LeastSquares, T, D>::fix_call_cast);

/// The minimum-norm X among those that minimize |A X - B|, for A of any shape and rank, and the rank: as `lstsq`, in up
/// to twice its time. A pivot counts if it exceeds `rcond` times the largest; by default epsilon times the larger
/// extent. (On host devices by a complete orthogonal decomposition, QR with column pivoting; for a matrix close to one
/// of lower rank it may count one more than the singular values do.)
///
///     auto [x, rank] = lstsq_rank_revealing(a, b);
///
/// Throws `ShapeError` if shapes do not fit, `ValueError` for a negative `rcond`, `LinAlgError` for NaN or infinite
/// elements of A. The gradient is that of the pseudoinverse times B at constant rank, Golub and Pereyra (1973).
template <class A, class B>
  requires internal::LinAlgTensors<A, B>
[[nodiscard]] LeastSquares<applied_t<A, B>> lstsq_rank_revealing(const A& a, const B& b,
                                                                 std::optional<double> rcond = {}) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  internal::check_matrices(a.shape(), "lstsq_rank_revealing");
  const double tolerance = internal::relative_tolerance<T>(a.shape(), rcond, "lstsq_rank_revealing: rcond");
  const auto solved = [&](const auto& left, const auto& right) -> LeastSquares<applied_t<A, B>> {
    const auto x = eval(left);
    const auto y = eval(right);
    const LeastSquares<Tensor<T, D>> found = internal::least_squares_of_any_rank<T, D>(detach(x), detach(y), tolerance);
    if constexpr (Recorded<A> || Recorded<B>) {
      return {internal::apply(internal::operation::SolutionOfAnyRank<T, D>{tolerance, found.x}, x, y), found.rank};
    } else {
      return found;
    }
  };
  if (b.shape().rank() != 1) return solved(a, b);
  LeastSquares<applied_t<A, B>> found = solved(a, unsqueeze(b, -1));
  found.x = squeeze(found.x, -1);
  return found;
}
template <class D>
on_device<D> lstsq_rank_revealing(const on_device<D>&,
                                  typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                                  std::optional<double> = {});
template <class T, class D>
placed<T, D> lstsq_rank_revealing(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                                  std::optional<double> = {});
template <Element T, Device D>
  requires(!internal::LinAlgElement<T>)
Tensor<T, D> lstsq_rank_revealing(
    const placed<T, D>&,
    typename operation_undefined_for_elements<internal::operation::LeastSquaresRankRevealing, T, D>::fix_call_cast,
    std::optional<double> = {});

}  // namespace situ
