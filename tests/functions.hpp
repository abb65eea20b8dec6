// SPDX-License-Identifier: Apache-2.0
// The one table of the element-wise functions of one and two operands. A row has all that a test needs to know of a function:
//
//   name        the functor's; with the parameter in parentheses where it is not the default one
//   functor     what computes it on lanes and on numbers
//   call        the public function or operator, on tensors, expressions and variables; it can be called exactly when that can
//   elements    for which element types there is one
//   interval    operands for which value and derivative are finite and tame
//   ulps        the largest error allowed anywhere, in units in the last place, of `float` and of `double`
//   reference   the value, in the type given: `double` for `float`, `long double` for `double`
//   derivative  the same of the derivative, and how many units of the largest nearby value a gradient may be off
//
// Tests visit it by families, each of which is instantiated only where it is visited: `trigonometric(visit)` calls
// `visit(row...)` once, `for_each_unary(f)` and `for_each_binary(f)` call `f(row)` for every row of every family. A function that
// is missing here, and a kind of test that visits no row of some family, fail functions/check.py. A family is a function, since
// nvcc does not write down the types of lambdas in a constant of namespace scope so that the host's compiler could read them.
#pragma once

#include "functions/binary.hpp"
#include "functions/unary.hpp"

namespace function_table {

template <class Visit>
void for_each_unary(Visit visit) {
  const auto each = [&visit](const auto&... row) { (visit(row), ...); };
  arithmetic(each);
  rounding(each);
  exponentials(each);
  trigonometric(each);
  hyperbolic(each);
  smooth_activations(each);
  rectifiers(each);
  predicates(each);
  inversions(each);
}

template <class Visit>
void for_each_binary(Visit visit) {
  const auto each = [&visit](const auto&... row) { (visit(row), ...); };
  operators(each);
  functions_of_two(each);
  comparisons(each);
  logic(each);
  bitwise(each);
}

}  // namespace function_table
