// SPDX-License-Identifier: Apache-2.0
// Norms of matrices: `matrix_norm`.
#pragma once

#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/svd.hpp>
#include <situ/ops/norm.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Norms of a matrix, by their names in NumPy. The minus forms have the least where their norm has the largest, and are
/// none.
enum class MatrixNorm {
  fro,        // the root of the sum of squares
  nuc,        // the sum of singular values
  two,        // the largest singular value
  one,        // the largest sum of magnitudes of a column
  inf,        // that of a row
  minus_two,  // the least singular value
  minus_one,
  minus_inf,
};

namespace internal::operation {

/// For errors: what others make up.
struct MatrixNorm : OfMatrices<operation::MatrixNorm> {};

}  // namespace internal::operation

/// A norm of each matrix, (..., m, n) -> (...), that of Frobenius unless another is named. (`norm(x, {-1})` is that of
/// vectors.) Throws `ShapeError` for what is no matrix, `ValueError` where the largest of no elements is asked for,
/// `LinAlgError` for NaN or infinite elements where singular values are.
///
///     Tensor most = matrix_norm(a, MatrixNorm::two);
///
/// Gradients: of the sums of magnitudes and the root, and those of singular values by `svd`: U V^T for `nuc`, that of
/// the first pair of vectors for `two`, or the mean of several that are equal.
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> matrix_norm(const A& a, MatrixNorm order = MatrixNorm::fro, KeepDims keep = KeepDims::no) {
  internal::check_matrices(a.shape(), "matrix_norm");
  const auto values = [&]() -> applied_t<A> {
    const applied_t<A> s = internal::singular_values_of(a, internal::LinAlgOperation::matrix_norm);
    return keep == KeepDims::yes ? applied_t<A>(unsqueeze(s, -2)) : s;
  };
  const auto sums = [&](int axis) -> applied_t<A> { return sum(abs(a), axis, keepdims); };
  switch (order) {
    case MatrixNorm::nuc: return sum(values(), -1, keep);
    case MatrixNorm::two: return max(values(), -1, keep);
    case MatrixNorm::minus_two: return min(values(), -1, keep);
    case MatrixNorm::one: return max(sums(-2), {-2, -1}, keep);
    case MatrixNorm::minus_one: return min(sums(-2), {-2, -1}, keep);
    case MatrixNorm::inf: return max(sums(-1), {-2, -1}, keep);
    case MatrixNorm::minus_inf: return min(sums(-1), {-2, -1}, keep);
    default: return norm(a, {-2, -1}, keep);
  }
}
template <class... Rest>
Tensor<float, Cpu> matrix_norm(operation_undefined_for_elements<internal::operation::MatrixNorm>::fix_call_cast,
                               const Rest&...);

}  // namespace situ
