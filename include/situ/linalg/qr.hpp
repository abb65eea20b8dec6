// SPDX-License-Identifier: Apache-2.0
// QR factorization: `qr`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/every_kernel.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/triangular.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/triangle.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct QrFactorsHeader;
void is_included(const QrFactorsHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// Whether Q of a tall matrix has as many columns as the matrix, or is square.
enum class QrMode { reduced, complete };

/// The result of `qr`: A = Q R, Q with orthonormal columns, R upper triangular.
template <TensorLike X>
struct QR {
  X q;
  X r;
};

namespace internal {

template <Element T, Device D>
[[nodiscard]] QR<Tensor<T, D>> qr_factors(const Tensor<T, D>& a, QrMode mode) {
  const Shape shape = a.shape();
  const Shape batch = batch_shape(shape);
  const std::int64_t m = shape[-2];
  const std::int64_t n = shape[-1];
  const std::int64_t columns = mode == QrMode::complete ? m : std::min(m, n);
  const Shape q_shape = shape_of_batch(batch, {m, columns});
  const Shape r_shape = shape_of_batch(batch, {columns, n});
  if (shape.count() == 0) {
    return {contiguous(broadcast_to(eye<T>(m, columns, 0, D{}), q_shape)), zeros<T>(r_shape, D{})};
  }
  const MatricesOperand<T, D> operand(a);
  Storage<D> q = allocate_elements<T, D>(q_shape);
  Storage<D> r = allocate_elements<T, D>(r_shape);
  call_kernel<D, kernels::Qr, FactorsQr<backend_t<D>, T>>(
      [&](auto backend) {
        factor_qr(backend, operand.matrices, mode == QrMode::complete, static_cast<T*>(q.data()),
                  static_cast<T*>(r.data()));
      },
      writes<T>(q), writes<T>(r), reads(operand.tensor));
  return {Tensor<T, D>(std::move(q), Layout::row_major(q_shape)),
          Tensor<T, D>(std::move(r), Layout::row_major(r_shape))};
}

namespace operation {

/// The gradient of A = Q R, R square, from `g`, the gradient of Q minus the part that R takes: (g + Q sym(M)) R^-T,
/// where the symmetric matrix has the lower triangle of `m`.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> qr_gradient(const Tensor<T, D>& q, const Tensor<T, D>& r, const Tensor<T, D>& g,
                                       const Tensor<T, D>& m) {
  const Tensor<T, D> right = g + matmul(q, Tensor<T, D>(tril(m) + transpose(tril(m, -1))));
  const SolveTriangular solve{{}, situ::Triangle::upper, UnitDiagonal::no, LinAlgOperation::qr};
  return transpose(solve(r, transpose(right)));
}

/// The operation, for error messages.
struct Qr : OfMatrices<Qr> {};

// Each result has a node of its own that holds both results: a gradient is linear in the gradients of the results.
// R = [U V] has a square part U, A = [X Y] likewise; a tall matrix has no V.

/// dX = (dQ + Q sym(-dQ^T Q)) U^-T. Columns P of Q that match no column of A are a basis of the complement, and act
/// through the rotation of one space against the other: dQ - P dP^T Q for dQ.
template <Element T, Device D>
struct OrthogonalFactorOf {
  QR<Tensor<T, D>> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return found.q; }
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& a) const {
    if (a.count() == 0) return zeros<T>(a, D{});
    const std::int64_t count = std::min(a[-2], a[-1]);
    const Tensor<T, D> q = part_of_matrices(found.q, -1, 0, count);
    Tensor<T, D> gq = part_of_matrices(g, -1, 0, count);
    const Tensor<T, D> turn = -matmul(transpose(gq), q);
    if (g.extent(-1) > count) {
      const Tensor<T, D> p = part_of_matrices(found.q, -1, count, g.extent(-1));
      gq -= matmul(p, matmul(transpose(part_of_matrices(g, -1, count, g.extent(-1))), q));
    }
    const Tensor<T, D> square = part_of_matrices(part_of_matrices(found.r, -2, 0, count), -1, 0, count);
    const Tensor<T, D> left = qr_gradient(q, square, gq, turn);
    if (a[-1] == count) return left;
    return concat(left, zeros<T>(shape_of_batch(batch_shape(a), {count, a[-1] - count}), D{}), -1);
  }
};

/// dX = Q sym(U dU^T) U^-T. For V = Q^T Y: dY = Q dV, and Y dV^T is a part of dQ.
template <Element T, Device D>
struct TriangularFactorOf {
  QR<Tensor<T, D>> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return found.r; }
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& a) const {
    if (a.count() == 0) return zeros<T>(a, D{});
    const std::int64_t count = std::min(a[-2], a[-1]);
    const Tensor<T, D> q = part_of_matrices(found.q, -1, 0, count);
    const Tensor<T, D> r = part_of_matrices(found.r, -2, 0, count);
    const Tensor<T, D> gr = part_of_matrices(g, -2, 0, count);
    const Tensor<T, D> square = part_of_matrices(r, -1, 0, count);
    Tensor<T, D> symmetric = matmul(square, transpose(part_of_matrices(gr, -1, 0, count)));
    if (a[-1] == count) return qr_gradient(q, square, zeros_like(q), symmetric);
    const Tensor<T, D> gv = part_of_matrices(gr, -1, count, a[-1]);
    const Tensor<T, D> gy = matmul(q, gv);
    const Tensor<T, D> gq = matmul(matmul(q, part_of_matrices(r, -1, count, a[-1])), transpose(gv));
    symmetric -= matmul(transpose(gq), q);
    return concat(qr_gradient(q, square, gq, symmetric), gy, -1);
  }
};

}  // namespace operation

}  // namespace internal

/// The QR factorization of matrices (..., m, n) by Householder reflections, k the smaller extent: Q (..., m, k) and R
/// (..., k, n), or with `QrMode::complete` Q (..., m, m) and R (..., m, n), zeros below. Signs are those of LAPACK: the
/// diagonal of R may be negative. For a matrix without elements Q is a part of the identity.
///
///     auto [q, r] = qr(a);                         // matmul(q, r) is a
///     Tensor basis = qr(randn<float>({100, 8})).q;     // 8 random orthonormal columns
///
/// Throws `ShapeError` unless x is a matrix. Every matrix, of any rank, has a result.
///
/// The gradient is by Walter and Lehmann, "Algorithmic differentiation of linear algebra functions with application in
/// optimum experimental design" (2010), and for wide matrices by Roberts and Roberts, "QR and LQ decomposition matrix
/// backpropagation algorithms for square, wide, and deep matrices" (2020). The first k columns must be independent: if
/// a diagonal element of R is 0 the gradient throws `LinAlgError`. The columns that `QrMode::complete` adds are an
/// arbitrary basis of their space: functions that do not depend on the choice have the right gradient, others have
/// none.
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] QR<applied_t<A>> qr(const A& a, QrMode mode = QrMode::reduced) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  internal::check_matrices(a.shape(), "qr");
  if constexpr (Recorded<A>) {
    const applied_t<A> x = eval(a);
    const QR<Tensor<T, D>> found = qr(detach(x), mode);
    return {internal::apply(internal::operation::OrthogonalFactorOf<T, D>{found}, x),
            internal::apply(internal::operation::TriangularFactorOf<T, D>{found}, x)};
  } else {
    return internal::qr_factors<T, D>(eval(a), mode);
  }
}
template <class... Rest>
QR<Tensor<float, Cpu>> qr(operation_undefined_for_elements<internal::operation::Qr>::fix_call_cast, const Rest&...);

}  // namespace situ
