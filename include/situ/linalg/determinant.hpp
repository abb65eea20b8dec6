// SPDX-License-Identifier: Apache-2.0
// Determinants: det, slogdet.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/every_kernel.hpp>
#include <situ/linalg/lu.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/solve.hpp>
#include <situ/linalg/triangular.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/prod.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct DeterminantHeader;
void is_included(const DeterminantHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// The result of `slogdet`: `auto [sign, logabsdet] = slogdet(a);`
template <class X>
struct SlogDet {
  X sign;
  X logabsdet;
};

namespace internal {

/// One number for each matrix of a batch, as 1 x 1 matrices, which broadcast.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> beside_matrices(const Tensor<T, D>& x) {
  return unsqueeze(unsqueeze(x, -1), -1);
}

namespace operation {

struct Determinant : OfMatrices<Determinant> {
  template <TensorLike A>
  [[nodiscard]] tensor_of_t<A> operator()(const A& a) const {
    using T = value_type_t<A>;
    using D = device_t<A>;
    const Tensor<T, D>& matrix = internal::operand_value(a);
    const Shape batch = batch_shape(matrix.shape());
    if (matrix.extent(-1) == 0) return ones<T>(batch, D{});
    Storage<D> storage = allocate_elements<T, D>(batch);
    if (batch.count() > 0) {
      const MatricesOperand<T, D> x(matrix);
      call_kernel<D, kernels::Determinant, FindsDeterminants<backend_t<D>, T>>(
          [&](auto backend) { find_determinants(backend, x.matrices, static_cast<T*>(storage.data())); },
          writes<T>(storage), internal::reads(x.tensor));
    }
    return Tensor<T, D>(std::move(storage), Layout::row_major(batch));
  }

  /// The cofactors, from the factors P A = L U: det(A) A^-T. A pivot of 0 is replaced by epsilon times the
  /// largest, as in PyTorch: the error is as small, and multiplying by the determinant undoes the division.
  static constexpr unsigned gradient_reads = reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& a) const {
    if (a.size() == 0) return a;
    const Lu<Tensor<T, D>> factors = lu(a);
    const Tensor<T, D> one = eye<T>(a.extent(-1), D{});
    const Tensor<T, D> pivots = diagonal(factors.u);
    const Tensor<T, D> largest = max(abs(pivots), -1, keepdims);
    const Tensor<T, D> rounded = where(largest == T(0), T(1), largest) * std::numeric_limits<T>::epsilon();
    const Tensor<T, D> nonzero = where(pivots == T(0), rounded, pivots);
    const Tensor<T, D> upper = factors.u + one * unsqueeze(nonzero - pivots, -1);
    const Tensor<T, D> exchange =
        cast<T>(unsqueeze(factors.permutation, -1) == arange<std::int64_t>(a.extent(-1), D{}));
    const Tensor<T, D> scale = g * (*this)(exchange)*prod(nonzero, -1);
    const SolveTriangular by_u{{}, situ::Triangle::lower};
    const SolveTriangular by_l{{}, situ::Triangle::upper, UnitDiagonal::yes};
    const Tensor<T, D> y = by_u(transpose(upper), one * beside_matrices(scale));
    return matmul(transpose(exchange), by_l(transpose(factors.l), y));
  }
};

struct LogDeterminant : OfMatrices<LogDeterminant> {
  template <Element T, Device D>
  [[nodiscard]] SlogDet<Tensor<T, D>> operator()(const Tensor<T, D>& matrix) const {
    const Shape batch = batch_shape(matrix.shape());
    if (matrix.extent(-1) == 0) return {ones<T>(batch, D{}), zeros<T>(batch, D{})};
    Storage<D> sign = allocate_elements<T, D>(batch);
    Storage<D> logarithm = allocate_elements<T, D>(batch);
    if (batch.count() > 0) {
      const MatricesOperand<T, D> x(matrix);
      call_kernel<D, kernels::Determinant, FindsLogDeterminants<backend_t<D>, T>>(
          [&](auto backend) {
            find_log_determinants(backend, x.matrices, static_cast<T*>(sign.data()), static_cast<T*>(logarithm.data()));
          },
          writes<T>(sign), writes<T>(logarithm), internal::reads(x.tensor));
    }
    return {Tensor<T, D>(std::move(sign), Layout::row_major(batch)),
            Tensor<T, D>(std::move(logarithm), Layout::row_major(batch))};
  }
};

/// The logarithm of the magnitude, which was computed together with the sign.
template <Element T, Device D>
struct LogMagnitude {
  Tensor<T, D> value;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return value; }

  static constexpr unsigned gradient_reads = reads::operand<0>;
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& a) const {
    return beside_matrices(g) * transpose(Inverse{{}, LinAlgOperation::slogdet}(a));
  }
};

}  // namespace operation

}  // namespace internal

/// The determinant of every matrix: (..., n, n) -> (...). `float` and `double`. It is exactly 0, without an error, if a
/// pivot of LU is, and 1 for n = 0. Large matrices overflow: see `slogdet`. Throws `ShapeError` unless the matrices are
/// square. The gradient is computed from the cofactors, so it also exists for singular matrices.
///
///     Tensor volume = abs(det(edges));
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> det(const A& a) {
  internal::check_matrices(a.shape(), "det", true);
  return internal::apply(internal::operation::Determinant{}, a);
}
template <class... Rest>
Tensor<float, Cpu> det(operation_undefined_for_elements<internal::operation::Determinant>::fix_call_cast,
                       const Rest&...);

/// The sign of the determinant (-1, 0 or 1) and the logarithm of its magnitude, which does not overflow: (..., n, n) ->
/// (...) twice; 0 and minus infinity if a pivot of LU is 0, 1 and 0 for n = 0. Throws `ShapeError` unless the matrices
/// are square. The gradient of the logarithm is the transposed inverse (Giles 2008, 2.2.4), a `LinAlgError` if that
/// does not exist; that of the sign is 0.
///
///     auto [sign, logabsdet] = slogdet(covariance);
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] SlogDet<applied_t<A>> slogdet(const A& a) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  internal::check_matrices(a.shape(), "slogdet", true);
  const applied_t<A> matrix = eval(a);
  SlogDet<Tensor<T, D>> value = internal::operation::LogDeterminant{}(detach(matrix));
  return {internal::as_constant<applied_t<A>>(std::move(value.sign)),
          internal::apply(internal::operation::LogMagnitude<T, D>{std::move(value.logabsdet)}, matrix)};
}
template <class... Rest>
Tensor<float, Cpu> slogdet(operation_undefined_for_elements<internal::operation::LogDeterminant>::fix_call_cast,
                           const Rest&...);

}  // namespace situ
