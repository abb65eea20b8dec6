// SPDX-License-Identifier: Apache-2.0
// Derivatives of trigonometric and hyperbolic functions.
// labels: gradients
#include "derivative_check.hpp"

TEST_CASE("trigonometry") { function_table::trigonometric(derivative_check::check_family); }

TEST_CASE("hyperbolic functions") { function_table::hyperbolic(derivative_check::check_family); }
