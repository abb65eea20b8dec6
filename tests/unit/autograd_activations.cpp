// SPDX-License-Identifier: Apache-2.0
// Derivatives of erf and of the activation functions; far out, where formulas overflow; and at the points where there is
// none.
// labels: gradients
#include <cmath>
#include <limits>

#include "derivative_check.hpp"

namespace {

using namespace situ;

TEST_CASE("erf and smooth activations") {
  function_table::smooth_activations(derivative_check::check_family);
  function_table::smooth_activations(derivative_check::check_family_far_out);
}

TEST_CASE("rectifiers") {
  function_table::rectifiers(derivative_check::check_family);
  function_table::rectifiers(derivative_check::check_family_far_out);
}

TEST_CASE("NaN stays NaN, and the kink of relu has the derivative 0") {
  const Variable v(tensor({std::numeric_limits<double>::quiet_NaN(), 0.0}));
  const Gradients gradients = backward(relu(v) * abs(v), ones<double>({2}));
  CHECK(std::isnan(gradients[v](0)));
  CHECK(backward(relu(v), ones<double>({2}))[v](1) == 0);
  CHECK(backward(abs(v), ones<double>({2}))[v](1) == 0);
}

}  // namespace
