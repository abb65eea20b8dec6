// SPDX-License-Identifier: Apache-2.0
// Covariances and correlations of variables, the rows of a matrix: `cov corrcoef`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/ops/variance.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The operations, for error messages.
struct OfCovariance : functional::OfFloating<OfCovariance> {
  static constexpr const char* name = "cov";
};
struct OfCorrelation : functional::OfFloating<OfCorrelation> {
  static constexpr const char* name = "corrcoef";
};

/// One variable, or several as rows, as a matrix.
template <class X>
[[nodiscard]] applied_t<X> rows_of_variables(const X& x, const char* name) {
  const Shape shape = x.shape();
  if (shape.rank() < 1 || shape.rank() > 2) {
    throw ShapeError(std::string(name) + ": shape " + shape.to_string() +
                     " is not that of one variable, (observations,), or of several, (variables, observations)");
  }
  return reshape(x, Shape{shape.rank() == 1 ? 1 : shape[0], shape[-1]});
}

/// The rows of both, as one matrix.
template <class X, class Y>
[[nodiscard]] applied_t<X, Y> rows_of_both(const X& x, const Y& y, const char* name) {
  const auto first = rows_of_variables(x, name);
  const auto second = rows_of_variables(y, name);
  if (first.shape()[1] != second.shape()[1]) {
    throw ShapeError(std::string(name) + ": shapes " + x.shape().to_string() + " and " + y.shape().to_string() +
                     " have different numbers of observations, the extent of the last axis");
  }
  return concat(first, second, 0);
}

/// The matrix of covariances of rows, computed as `float` for 16-bit floats.
template <class X>
[[nodiscard]] auto covariances(const X& rows, double ddof) {
  using C = compute_t<value_type_t<X>>;
  const auto x = eval(cast<C>(rows));
  const auto centered = eval(x - mean(x, -1, KeepDims::yes));
  const double count = std::max(static_cast<double>(x.shape()[1]) - ddof, 0.0);
  return eval(matmul(centered, transpose(centered)) / static_cast<C>(count));
}

template <class X>
[[nodiscard]] auto correlations(const X& rows) {
  const auto c = covariances(rows, 0);
  const auto deviation = eval(sqrt(diagonal(c)));
  using C = value_type_t<decltype(c)>;
  return eval(clamp(c / unsqueeze(deviation, 1) / unsqueeze(deviation, 0), C(-1), C(1)));
}

}  // namespace internal

/// The covariances of variables, which are the rows of `x`, (variables, observations): a symmetric matrix, or for one
/// variable of shape (observations,) its variance, of rank 0
/// (NumPy: also for a matrix of one row). The sums are divided by the number of observations minus
/// `ddof`, which is 1 unless given, as in NumPy and PyTorch (`var` has 0). Columns as variables: `cov(transpose(x))`.
///
///     Tensor c = cov(x);                 // divided by n - 1
///     Tensor d = cov(x, Ddof{0});        // by n
///
/// Throws `ShapeError` for a rank other than 1 and 2. Infinite or NaN if there are not more observations than `ddof`, as
/// in NumPy.
template <TensorLike X>
  requires FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X> cov(const X& x, Ddof ddof = Ddof{1}) {
  const auto c = internal::covariances(internal::rows_of_variables(x, "cov"), ddof.value);
  const applied_t<X> result(cast<value_type_t<X>>(c));
  if (x.shape().rank() == 1) return reshape(result, Shape{});
  return result;
}
/// The covariances of the variables in `x` and those in `y`, the rows of both one after the other.
///
///     Tensor c = cov(height, weight);    // of two vectors: 2 x 2
template <TensorLike X, TensorLike Y>
  requires FloatingElement<value_type_t<X>> && internal::agrees<Y, value_type_t<X>, device_t<X>>
[[nodiscard]] applied_t<X, Y> cov(const X& x, const Y& y, Ddof ddof = Ddof{1}) {
  return applied_t<X, Y>(cast<value_type_t<X>>(internal::covariances(internal::rows_of_both(x, y, "cov"), ddof.value)));
}
template <class... Rest>
Tensor<float, Cpu> cov(operation_undefined_for_elements<internal::OfCovariance>::fix_call_cast, const Rest&...);
template <class D>
on_device<D> cov(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                 Ddof = Ddof{1});
template <class T, class D>
placed<T, D> cov(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, Ddof = Ddof{1});

/// The correlations of variables, Pearson's coefficients: `cov` divided by both deviations, from -1 to 1. One variable
/// of shape (observations,) gives a number, of rank 0. A variable that is constant has none: NaN.
///
///     Tensor r = corrcoef(x);
///     const float of_two = corrcoef(height, weight)(0, 1);
template <TensorLike X>
  requires FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X> corrcoef(const X& x) {
  const auto c = internal::correlations(internal::rows_of_variables(x, "corrcoef"));
  const applied_t<X> result(cast<value_type_t<X>>(c));
  if (x.shape().rank() == 1) return reshape(result, Shape{});
  return result;
}
/// The correlations of the variables in `x` and those in `y`, the rows of both one after the other.
template <TensorLike X, TensorLike Y>
  requires FloatingElement<value_type_t<X>> && internal::agrees<Y, value_type_t<X>, device_t<X>>
[[nodiscard]] applied_t<X, Y> corrcoef(const X& x, const Y& y) {
  return applied_t<X, Y>(cast<value_type_t<X>>(internal::correlations(internal::rows_of_both(x, y, "corrcoef"))));
}
template <class... Rest>
Tensor<float, Cpu> corrcoef(operation_undefined_for_elements<internal::OfCorrelation>::fix_call_cast, const Rest&...);
template <class D>
on_device<D> corrcoef(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> corrcoef(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
