// SPDX-License-Identifier: Apache-2.0
// Powers and the exponential of matrices: matrix_power, expm.
#pragma once

#include <cmath>
#include <cstdint>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/linalg/solve.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/linalg.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal::operation {

struct MatrixPower : OfMatrices<MatrixPower> {};
struct Expm : OfMatrices<Expm> {};

}  // namespace internal::operation

/// Every matrix (..., n, n) to an integer power: by repeated squaring; of the inverse for a negative `exponent`, the
/// identity for 0. `float` and `double`. Throws `LinAlgError` if the inverse does not exist, `ShapeError` unless the
/// matrices are square. Its gradient is that of the products.
///
///     Tensor after_a_week = matmul(state, matrix_power(transition, 7));
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> matrix_power(const A& a, std::int64_t exponent) {
  using Result = applied_t<A>;
  internal::check_matrices(a.shape(), "matrix_power", true);
  if (exponent == 0) {
    const auto one = eye<value_type_t<A>>(a.shape()[-1], device_t<A>{});
    return internal::as_constant<Result>(broadcast_to(one, a.shape()));
  }
  Result square = eval(a);
  auto rest = static_cast<std::uint64_t>(exponent);
  if (exponent < 0) {
    rest = 0 - rest;
    square = internal::apply(internal::operation::Inverse{{}, internal::LinAlgOperation::matrix_power}, square);
  }
  for (; rest % 2 == 0; rest /= 2) square = matmul(square, square);
  Result power = square;
  while ((rest /= 2) != 0) {
    square = matmul(square, square);
    if (rest % 2 != 0) power = matmul(power, square);
  }
  return power;
}
template <class... Rest>
Tensor<float, Cpu> matrix_power(operation_undefined_for_elements<internal::operation::MatrixPower>::fix_call_cast,
                                const Rest&...);

/// The exponential of every matrix, (..., n, n): a Pade approximant of degree 13 with scaling and squaring (Higham
/// 2005, "The scaling and squaring method for the matrix exponential revisited"); the largest 1-norm in a batch
/// determines the scaling of all its matrices. `float` and `double`. The host reads that norm: on a GPU, this waits for
/// the operand. Throws `ShapeError` unless the matrices are square. Its gradient is that of the products and the
/// solution it consists of.
///
///     Tensor rotation = expm(skew);
template <class A>
  requires internal::LinAlgTensor<A>
[[nodiscard]] applied_t<A> expm(const A& a) {
  using T = value_type_t<A>;
  using Result = applied_t<A>;
  // of x^k in the numerator, scaled so that the coefficient of x^0 is 1
  static constexpr double b[] = {1.0,
                                 1.0 / 2,
                                 3.0 / 25,
                                 11.0 / 600,
                                 11.0 / 5520,
                                 3.0 / 18400,
                                 1.0 / 96600,
                                 1.0 / 1932000,
                                 1.0 / 48944000,
                                 1.0 / 1585785600,
                                 1.0 / 67395888000,
                                 1.0 / 3953892096000,
                                 1.0 / 355850288640000,
                                 1.0 / 64764752532480000};
  constexpr double largest_norm = 5.371920351148152;  // up to it the approximant is exact to half an epsilon
  internal::check_matrices(a.shape(), "expm", true);
  Result x = eval(a);
  if (x.size() == 0) return x;
  const double norm = static_cast<double>(max(sum(abs(detach(x)), -2)).to(Cpu{}).item());
  const int squarings =
      norm > largest_norm && std::isfinite(norm) ? static_cast<int>(std::ceil(std::log2(norm / largest_norm))) : 0;
  if (squarings > 0) x = x * static_cast<T>(std::ldexp(1.0, -squarings));
  const auto c = [](int k) { return static_cast<T>(b[k]); };
  const Tensor<T, device_t<A>> one = eye<T>(x.extent(-1), device_t<A>{});
  const Result x2 = matmul(x, x);
  const Result x4 = matmul(x2, x2);
  const Result x6 = matmul(x4, x2);
  const Result odd =
      matmul(x, matmul(x6, x6 * c(13) + x4 * c(11) + x2 * c(9)) + x6 * c(7) + x4 * c(5) + x2 * c(3) + one * c(1));
  const Result even = matmul(x6, x6 * c(12) + x4 * c(10) + x2 * c(8)) + x6 * c(6) + x4 * c(4) + x2 * c(2) + one;
  Result power = solve(even - odd, even + odd);
  for (int i = 0; i < squarings; ++i) power = matmul(power, power);
  return power;
}
template <class... Rest>
Tensor<float, Cpu> expm(operation_undefined_for_elements<internal::operation::Expm>::fix_call_cast, const Rest&...);

}  // namespace situ
