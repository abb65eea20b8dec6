// SPDX-License-Identifier: Apache-2.0
// Polynomials by their coefficients, the highest power first: `polyfit polyval`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/linalg/least_squares.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The operations, for error messages.
struct OfPolynomialFit : OfMatrices<OfPolynomialFit> {
  static constexpr const char* name = "polyfit";
};
struct OfPolynomialValue : functional::OfNumbers<OfPolynomialValue> {
  static constexpr const char* name = "polyval";
};

/// Throws `ShapeError` and `ValueError` unless the points determine a polynomial.
inline void check_points_of_fit(const Shape& x, const Shape& y, std::int64_t degree) {
  if (degree < 0) throw ValueError("polyfit: a degree of " + std::to_string(degree) + "; it must not be negative");
  if (x.rank() != 1 || y.rank() < 1 || y.rank() > 2 || y[0] != x[0]) {
    throw ShapeError("polyfit: points of shape " + x.to_string() + " and values of shape " + y.to_string() +
                     "; they must be (points,), and (points,) or (points, curves)");
  }
  if (x[0] <= degree) {
    throw ShapeError("polyfit: " + std::to_string(x[0]) + " points do not determine a polynomial of degree " +
                     std::to_string(degree) + "; it takes one point more than the degree");
  }
}

}  // namespace internal

/// The coefficients, the highest power first, of the polynomial of this degree that is nearest to the points, by least
/// squares: x (points,), y (points,) -> (degree + 1,), or several curves at once, y (points, k) -> (degree + 1, k). As
/// numpy.polyfit: by the matrix of powers, each column divided by its norm, and QR (`lstsq`). `float` and `double`.
///
///     Tensor line = polyfit(x, y, 1);            // slope and intercept
///     Tensor smooth = polyval(polyfit(x, y, 3), x);
///
/// A high degree needs `double`, and numbers x around 0: subtract their mean first. Throws `ShapeError` if shapes do not
/// fit or there are not more points than the degree, `ValueError` for a negative degree, `LinAlgError` if, within
/// rounding, too few x are different (on a GPU with the next transfer to the host or wait), where NumPy warns.
template <TensorLike X, TensorLike Y>
  requires internal::LinAlgTensors<X, Y>
[[nodiscard]] applied_t<X, Y> polyfit(const X& x, const Y& y, std::int64_t degree) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  internal::check_points_of_fit(x.shape(), y.shape(), degree);
  const applied_t<X> points(x);
  if (degree == 0) {
    if constexpr (Recorded<X> && !Recorded<Y>) return constant(mean(y, 0, KeepDims::yes));
    else return applied_t<X, Y>(mean(y, 0, KeepDims::yes));
  }
  // Powers of numbers up to 1 do not overflow: the coefficients are those of x / largest.
  const auto extremes = max(abs(detach(points)));
  const Tensor<T, D> largest = where(extremes > T(0), extremes, T(1));
  const applied_t<X> scaled = eval(points / largest);
  std::vector<applied_t<X>> powers(static_cast<std::size_t>(degree), scaled);
  for (std::size_t i = powers.size() - 1; i > 0; --i) powers[i - 1] = eval(powers[i] * scaled);
  const auto columns = concat(stack(powers, 1), ones<T>({points.shape()[0], 1}, D{}), 1);
  const auto lengths = eval(sqrt(sum(square(columns), 0)));
  const auto norms = eval(where(detach(lengths) > T(0), lengths, T(1)));  // a column of zeros stays one, and is refused
  const auto solved = [&] {
    if constexpr (!HostDevice<D>) {
      return lstsq(columns / norms, y);
    } else {
      try {
        return lstsq(columns / norms, y);
      } catch (const LinAlgError&) {
        throw LinAlgError("polyfit: the " + std::to_string(x.shape()[0]) +
                          " points do not determine a polynomial of degree " + std::to_string(degree) +
                          ": within rounding, fewer of them differ than that takes; use a lower degree, or double, "
                          "or subtract the mean from x first");
      }
    }
  }();
  // Of x / largest, k-th powers have the coefficients of x times largest^k.
  std::vector<Tensor<T, D>> factors(powers.size() + 1, ones<T>({}, D{}));
  for (std::size_t i = powers.size(); i > 0; --i) factors[i - 1] = eval(factors[i] * largest);
  const auto scale = eval(norms * stack(factors, 0));
  if (y.shape().rank() == 1) return applied_t<X, Y>(solved / scale);
  return applied_t<X, Y>(solved / unsqueeze(scale, 1));
}
template <class D>
on_device<D> polyfit(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                     std::int64_t);
template <class T, class D>
placed<T, D> polyfit(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, std::int64_t);
template <class Y>
Tensor<float, Cpu> polyfit(operation_undefined_for_elements<internal::OfPolynomialFit>::fix_call_cast, const Y&,
                           std::int64_t);

/// The values at `x` of the polynomial with coefficients `p`, the highest power first: p[0] x^(n - 1) + ... + p[n - 1],
/// by Horner's rule, of the shape of `x`. Without coefficients it is 0. For numbers; integers wrap.
///
///     polyval(tensor({1, 0, -2}), tensor({3, 4}))      // x^2 - 2: 7 14
///
/// Throws `ShapeError` unless the coefficients have rank 1.
template <TensorLike P, TensorLike X>
  requires NumberElement<value_type_t<P>> && internal::agrees<X, value_type_t<P>, device_t<P>>
[[nodiscard]] applied_t<P, X> polyval(const P& p, const X& x) {
  using Result = applied_t<P, X>;
  if (p.shape().rank() != 1) {
    throw ShapeError("polyval: coefficients of shape " + p.shape().to_string() +
                     "; they must have rank 1, the highest power first");
  }
  const applied_t<P> coefficients(p);
  const applied_t<X> at(x);
  const std::int64_t count = coefficients.shape()[0];
  // Not `Result(zeros)`: a Variable made of a tensor is a parameter.
  const Tensor<value_type_t<P>, device_t<P>> zero = zeros<value_type_t<P>>(at.shape(), device_t<P>{});
  if (count == 0) {
    if constexpr (Recorded<Result>) return constant(zero);
    else return zero;
  }
  Result y = [&]() -> Result {
    if constexpr (Recorded<Result> && !Recorded<P>) return constant(eval(zero + select(coefficients, 0, 0)));
    else return Result(zero + select(coefficients, 0, 0));
  }();
  for (std::int64_t i = 1; i < count; ++i) y = Result(y * at + select(coefficients, 0, i));
  return y;
}
/// The value at a number, of rank 0.
template <TensorLike P, class V>
  requires NumberElement<value_type_t<P>> && internal::WeakScalarFor<V, value_type_t<P>>
[[nodiscard]] applied_t<P> polyval(const P& p, V x) {
  using T = value_type_t<P>;
  return polyval(p, full<T>({}, internal::element_from_scalar<T>(x, "polyval"), device_t<P>{}));
}
template <class X>
Tensor<float, Cpu> polyval(operation_undefined_for_elements<internal::OfPolynomialValue>::fix_call_cast, const X&);
template <class D>
on_device<D> polyval(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> polyval(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
