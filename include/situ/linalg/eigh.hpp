// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric matrices: `eigh eigvalsh`.
#pragma once

#include <utility>

#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/every_kernel.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/spectrum.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct EigenvaluesHeader;
void is_included(const EigenvaluesHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// The result of `eigh`: A = V diag(w) V^T. The eigenvalues w ascend, the columns of V are the eigenvectors.
template <TensorLike X>
struct Eigh {
  X eigenvalues;
  X eigenvectors;
};

namespace internal {

/// The eigenvalues of matrices, and their eigenvectors if `vectors` is set; otherwise those are empty.
template <Element T, Device D>
[[nodiscard]] Eigh<Tensor<T, D>> eigen_of_symmetric(const Tensor<T, D>& a, bool vectors, LinAlgOperation operation) {
  const Shape shape = a.shape();
  const Shape values_shape = shape_of_batch(batch_shape(shape), {shape[-1]});
  Storage<D> values = allocate_elements<T, D>(values_shape);
  Storage<D> columns = vectors ? allocate_elements<T, D>(shape) : Storage<D>();
  if (shape.count() > 0) {
    const MatricesOperand operand(a);
    T* const w = static_cast<T*>(values.data());
    const auto find = [&](T* v, const auto&... written) {
      call_kernel<D, kernels::Eigh, FindsEigenOfSymmetric<backend_t<D>, T>>(
          [&](auto backend) { find_eigen_of_symmetric(backend, operation, operand.matrices, w, v); }, written...,
          reads(operand.tensor));
    };
    if (vectors) find(static_cast<T*>(columns.data()), writes<T>(values), writes<T>(columns));
    else find(nullptr, writes<T>(values));
  }
  Eigh<Tensor<T, D>> result{Tensor<T, D>(std::move(values), Layout::row_major(values_shape)), {}};
  if (vectors) result.eigenvectors = Tensor<T, D>(std::move(columns), Layout::row_major(shape));
  return result;
}

namespace operation {

/// The operations, for error messages.
struct Eigh : OfMatrices<Eigh> {};
struct Eigvalsh : OfMatrices<Eigvalsh> {};

// Each result has a node of its own that holds both results: a gradient is linear in the gradients of the results.

/// dA = V diag(dw) V^T.
template <Element T, Device D>
struct EigenvaluesOf {
  situ::Eigh<Tensor<T, D>> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return found.eigenvalues; }
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape&) const {
    const Tensor<T, D>& v = found.eigenvectors;
    return matmul(v * unsqueeze(g, -2), transpose(v));
  }
};

/// dA = V (F o (V^T dV)) V^T with F_ij = 1 / (w_j - w_i), its symmetric part.
template <Element T, Device D>
struct EigenvectorsOf {
  situ::Eigh<Tensor<T, D>> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return found.eigenvectors; }
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape&) const {
    if (g.size() == 0) return g;
    const Tensor<T, D>& v = found.eigenvectors;
    const Tensor<T, D> turn = matmul(transpose(v), g);
    const Tensor<T, D> inner = reciprocal_gaps(found.eigenvalues) * ((turn - transpose(turn)) * T(0.5));
    return matmul(matmul(v, inner), transpose(v));
  }
};

/// The eigenvalues; the vectors are computed only if a gradient, which needs them, is recorded.
template <Element T, Device D>
struct EigenvaluesAlone : EigenvaluesOf<T, D> {
  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>& a) const {
    return eigen_of_symmetric(a, false, LinAlgOperation::eigvalsh).eigenvalues;
  }
  [[nodiscard]] Tensor<T, D> recorded(const Tensor<T, D>& a) {
    this->found = eigen_of_symmetric(a, true, LinAlgOperation::eigvalsh);
    return this->found.eigenvalues;
  }
};

}  // namespace operation

}  // namespace internal

/// The eigenvalues, ascending, and eigenvectors of symmetric matrices, (..., n, n) -> (..., n) and (..., n, n). Column
/// j of `eigenvectors` belongs to eigenvalue j and has length 1; its sign is not determined. Reads the lower triangle.
/// Matrices without rows have no eigenvalues.
///
///     auto [w, v] = eigh(a);                       // a = v * w @ transpose(v)
///     Tensor root = matmul(v * sqrt(w), transpose(v));
///
/// Throws `ShapeError` unless the matrices are square; `LinAlgError` for a matrix that is asymmetric by more than the
/// square root of epsilon times its largest magnitude, and for one with NaN or infinite elements. (On a GPU with the
/// next transfer to the host or wait, as all `LinAlgError`.)
///
/// The gradient is symmetric, by Giles, "An extended collection of matrix derivative results for forward and reverse
/// mode algorithmic differentiation" (2008), 3.1. The vectors of equal eigenvalues (that differ by at most n epsilon
/// times the largest) are an arbitrary basis of a space, and the gradient ignores their rotation within it. So it is
/// finite, and correct for functions of the eigenvalues or of that space as a whole, such as a projector; it is not
/// correct for functions that weight those vectors one by one, even if the basis makes no difference, as in V f(w) V^T
/// (`expm` and `matrix_power` have that gradient).
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] Eigh<applied_t<A>> eigh(const A& a) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  internal::check_matrices(a.shape(), "eigh", true);
  if constexpr (Recorded<A>) {
    const applied_t<A> x = eval(a);
    const Eigh<Tensor<T, D>> found = eigh(detach(x));
    return {internal::apply(internal::operation::EigenvaluesOf<T, D>{found}, x),
            internal::apply(internal::operation::EigenvectorsOf<T, D>{found}, x)};
  } else {
    return internal::eigen_of_symmetric<T, D>(eval(a), true, internal::LinAlgOperation::eigh);
  }
}
template <class... Rest>
Eigh<Tensor<float, Cpu>> eigh(operation_undefined_for_elements<internal::operation::Eigh>::fix_call_cast,
                              const Rest&...);

/// Only the eigenvalues of `eigh`, in less than half its time: 1/7 for 512 rows.
///
///     Tensor w = eigvalsh(a);
///     const bool definite = w(0) > 0;
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> eigvalsh(const A& a) {
  internal::check_matrices(a.shape(), "eigvalsh", true);
  return internal::apply(internal::operation::EigenvaluesAlone<value_type_t<A>, device_t<A>>{}, eval(a));
}
template <class... Rest>
Tensor<float, Cpu> eigvalsh(operation_undefined_for_elements<internal::operation::Eigvalsh>::fix_call_cast,
                            const Rest&...);

}  // namespace situ
