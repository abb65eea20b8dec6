// SPDX-License-Identifier: Apache-2.0
// Singular values and vectors: `svd svdvals`.
#pragma once

#include <algorithm>
#include <cstdint>
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
#include <situ/ops/creation.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct SingularValuesHeader;
void is_included(const SingularValuesHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// Whether U and V^T are square, with extra vectors that match no singular value; otherwise they have as many as there
/// are singular values.
enum class FullMatrices { no, yes };

/// The result of `svd`: A = U diag(s) V^T. The singular values s descend, the columns of U and the rows of V^T (`vh`)
/// are the singular vectors.
template <TensorLike X>
struct SVD {
  X u;
  X s;
  X vh;
};

namespace internal {

/// The singular values of matrices, and their vectors if `vectors` is set; otherwise those are empty.
template <Element T, Device D>
[[nodiscard]] SVD<Tensor<T, D>> singular_values(const Tensor<T, D>& a, bool vectors, FullMatrices full,
                                                LinAlgOperation operation) {
  const Shape shape = a.shape();
  const Shape batch = batch_shape(shape);
  const std::int64_t m = shape[-2];
  const std::int64_t n = shape[-1];
  const std::int64_t least = std::min(m, n);
  const bool square = full == FullMatrices::yes;
  const Shape s_shape = shape_of_batch(batch, {least});
  if (shape.count() == 0) {
    const auto identities = [&](std::int64_t rows, std::int64_t columns) {
      return contiguous(broadcast_to(eye<T>(rows, columns, 0, D{}), shape_of_batch(batch, {rows, columns})));
    };
    SVD<Tensor<T, D>> none{{}, zeros<T>(s_shape, D{}), {}};
    if (vectors) none.u = identities(m, square ? m : least);
    if (vectors) none.vh = identities(square ? n : least, n);
    return none;
  }
  const Shape u_shape = shape_of_batch(batch, {m, square ? m : least});
  const Shape vh_shape = shape_of_batch(batch, {square ? n : least, n});
  const MatricesOperand operand(a);
  Storage<D> s = allocate_elements<T, D>(s_shape);
  const auto find = [&](T* u, T* vh, const auto&... written) {
    call_kernel<D, kernels::Svd, FindsSingularValues<backend_t<D>, T>>(
        [&](auto backend) {
          find_singular_values(backend, operation, operand.matrices, square, u, static_cast<T*>(s.data()), vh);
        },
        writes<T>(s), written..., reads(operand.tensor));
  };
  SVD<Tensor<T, D>> result;
  if (vectors) {
    Storage<D> u = allocate_elements<T, D>(u_shape);
    Storage<D> vh = allocate_elements<T, D>(vh_shape);
    find(static_cast<T*>(u.data()), static_cast<T*>(vh.data()), writes<T>(u), writes<T>(vh));
    result.u = Tensor<T, D>(std::move(u), Layout::row_major(u_shape));
    result.vh = Tensor<T, D>(std::move(vh), Layout::row_major(vh_shape));
  } else {
    find(nullptr, nullptr);
  }
  result.s = Tensor<T, D>(std::move(s), Layout::row_major(s_shape));
  return result;
}

/// The gradient of A = U diag(s) V^T from that of U, `g`:
///   [U (F o (U^T g - g^T U)) diag(s) + (I - U U^T) g diag(1/s)] V^T,  F_ij = 1 / (s_j^2 - s_i^2).
/// If U has columns P that match no singular value, I - U U^T is P P^T, and g_P acts through the rotation of one space
/// against the other: P (P^T g - g_P^T U) diag(1/s) V^T.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> left_vectors_gradient(const Tensor<T, D>& u, const Tensor<T, D>& s, const Tensor<T, D>& v,
                                                 const Tensor<T, D>& g) {
  const std::int64_t count = s.extent(-1);
  const Tensor<T, D> us = part_of_matrices(u, -1, 0, count);
  const Tensor<T, D> gs = part_of_matrices(g, -1, 0, count);
  const Tensor<T, D> turn = matmul(transpose(us), gs);
  const Tensor<T, D> among = reciprocal_gaps_of_squares(s) * (turn - transpose(turn)) * unsqueeze(s, -2);
  Tensor<T, D> columns = matmul(us, among);
  if (u.extent(-1) > count) {
    const Tensor<T, D> p = part_of_matrices(u, -1, count, u.extent(-1));
    const Tensor<T, D> gp = part_of_matrices(g, -1, count, u.extent(-1));
    const Tensor<T, D> against = matmul(transpose(p), gs) - matmul(transpose(gp), us);
    columns += matmul(p, against) * unsqueeze(reciprocals_of_values(s), -2);
  } else if (u.extent(-2) > count) {
    columns += (gs - matmul(us, turn)) * unsqueeze(reciprocals_of_values(s), -2);
  }
  return matmul(columns, transpose(part_of_matrices(v, -1, 0, count)));
}

namespace operation {

/// The operations, for error messages.
struct Svd : OfMatrices<Svd> {};
struct Svdvals : OfMatrices<Svdvals> {};

// Each result has a node of its own that holds all of them: a gradient is linear in the gradients of the results.

template <Element T, Device D>
struct LeftVectorsOf {
  SVD<Tensor<T, D>> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return found.u; }
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& a) const {
    if (a.count() == 0) return zeros<T>(a, D{});
    return left_vectors_gradient(found.u, found.s, transpose(found.vh), g);
  }
};

/// dA = U diag(ds) V^T.
template <Element T, Device D>
struct SingularValuesOf {
  SVD<Tensor<T, D>> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return found.s; }
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& a) const {
    if (a.count() == 0) return zeros<T>(a, D{});
    const std::int64_t count = g.extent(-1);
    return matmul(part_of_matrices(found.u, -1, 0, count) * unsqueeze(g, -2), part_of_matrices(found.vh, -2, 0, count));
  }
};

/// The left singular vectors of the transpose.
template <Element T, Device D>
struct RightVectorsOf {
  SVD<Tensor<T, D>> found;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>&) const { return found.vh; }
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& a) const {
    if (a.count() == 0) return zeros<T>(a, D{});
    return transpose(left_vectors_gradient(transpose(found.vh), found.s, found.u, transpose(g)));
  }
};

/// The singular values; the vectors are computed only if a gradient, which needs them, is recorded.
template <Element T, Device D>
struct SingularValuesAlone : SingularValuesOf<T, D> {
  LinAlgOperation operation;

  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>& a) const {
    return singular_values(a, false, FullMatrices::no, operation).s;
  }
  [[nodiscard]] Tensor<T, D> recorded(const Tensor<T, D>& a) {
    this->found = singular_values(a, true, FullMatrices::no, operation);
    return this->found.s;
  }
};

}  // namespace operation

/// The singular values, for a caller that errors name as `operation`.
template <LinAlgTensor A>
[[nodiscard]] applied_t<A> singular_values_of(const A& a, LinAlgOperation operation) {
  return apply(operation::SingularValuesAlone<value_type_t<A>, device_t<A>>{{}, operation}, eval(a));
}

}  // namespace internal

/// The singular value decomposition of matrices (..., m, n), k the smaller extent: U (..., m, k), s (..., k), V^T (...,
/// k, n), or with `FullMatrices::yes` U (..., m, m) and V^T (..., n, n). The values descend and are nonnegative;
/// vectors have length 1, and the sign of each pair is not determined. A matrix without elements has no singular
/// values, and square U and V^T are identities.
///
///     auto [u, s, vh] = svd(x - mean(x, 0));            // principal components: the rows of vh
///     Tensor approximation = matmul(u(all, range(0, 8)) * s(range(0, 8)), vh(range(0, 8), all));
///
/// Throws `ShapeError` unless x is a matrix, `LinAlgError` for one with NaN or infinite elements. (On a GPU with the
/// next transfer to the host or wait, as all `LinAlgError`.)
///
/// The gradient is by Townsend, "Differentiating the singular value decomposition" (2016), and Giles, "An extended
/// collection of matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), 3.2. The
/// vectors of equal singular values (that differ by at most k epsilon times the largest), and those that
/// `FullMatrices::yes` adds, are an arbitrary basis of a space, and the gradient ignores their rotation within it, as
/// well as terms divided by a singular value of 0. So it is finite, and correct for functions of the singular values or
/// of such a space as a whole, but not for functions that weight those vectors one by one. `pinv` and the norms have
/// gradients of their own.
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] SVD<applied_t<A>> svd(const A& a, FullMatrices full = FullMatrices::no) {
  using T = value_type_t<A>;
  using D = device_t<A>;
  internal::check_matrices(a.shape(), "svd");
  if constexpr (Recorded<A>) {
    const applied_t<A> x = eval(a);
    const SVD<Tensor<T, D>> found = svd(detach(x), full);
    return {internal::apply(internal::operation::LeftVectorsOf<T, D>{found}, x),
            internal::apply(internal::operation::SingularValuesOf<T, D>{found}, x),
            internal::apply(internal::operation::RightVectorsOf<T, D>{found}, x)};
  } else {
    return internal::singular_values<T, D>(eval(a), true, full, internal::LinAlgOperation::svd);
  }
}
template <class... Rest>
SVD<Tensor<float, Cpu>> svd(operation_undefined_for_elements<internal::operation::Svd>::fix_call_cast, const Rest&...);

/// Only the singular values of `svd`, in a fraction of its time.
///
///     Tensor s = svdvals(a);
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> svdvals(const A& a) {
  internal::check_matrices(a.shape(), "svdvals");
  return internal::singular_values_of(a, internal::LinAlgOperation::svdvals);
}
template <class... Rest>
Tensor<float, Cpu> svdvals(operation_undefined_for_elements<internal::operation::Svdvals>::fix_call_cast,
                           const Rest&...);

}  // namespace situ
