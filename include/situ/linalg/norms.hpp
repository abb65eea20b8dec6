// SPDX-License-Identifier: Apache-2.0
// Matrix norms: `matrix_norm`.
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

/// Matrix norms, by their names in NumPy. The `minus` forms take the smallest where the norm takes the largest, and are
/// not norms.
enum class MatrixNorm {
  fro,        // the square root of the sum of squares
  nuc,        // the sum of singular values
  two,        // the largest singular value
  one,        // the largest sum of magnitudes of a column
  inf,        // the largest sum of magnitudes of a row
  minus_two,  // the smallest singular value
  minus_one,
  minus_inf,
};

namespace internal::operation {

/// For error messages: a composed operation.
struct MatrixNorm : OfMatrices<operation::MatrixNorm> {};

}  // namespace internal::operation

/// A norm of each matrix, (..., m, n) -> (...), by default Frobenius. (`norm(x, {-1})` is the norm of vectors.) Throws
/// `ShapeError` unless x is a matrix, `ValueError` for the largest of no elements, `LinAlgError` for NaN or infinite
/// elements in norms of singular values.
///
///     Tensor most = matrix_norm(a, MatrixNorm::two);
///
/// Gradients: those of the sums of magnitudes and the square root, and for singular values those of `svd`: U V^T for
/// `nuc`, that of the first pair of vectors for `two`, or the mean over several equal ones.
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
    case MatrixNorm::nuc:
      return sum(values(), -1, keep);
    case MatrixNorm::two:
      return max(values(), -1, keep);
    case MatrixNorm::minus_two:
      return min(values(), -1, keep);
    case MatrixNorm::one:
      return max(sums(-2), {-2, -1}, keep);
    case MatrixNorm::minus_one:
      return min(sums(-2), {-2, -1}, keep);
    case MatrixNorm::inf:
      return max(sums(-1), {-2, -1}, keep);
    case MatrixNorm::minus_inf:
      return min(sums(-1), {-2, -1}, keep);
    default:
      return norm(a, {-2, -1}, keep);
  }
}
template <class... Rest>
Tensor<float, Cpu> matrix_norm(operation_undefined_for_elements<internal::operation::MatrixNorm>::fix_call_cast,
                               const Rest&...);

}  // namespace situ
