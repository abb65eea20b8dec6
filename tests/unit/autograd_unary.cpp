// SPDX-License-Identifier: Apache-2.0
// Derivatives of arithmetic, of steps, of roots, exponentials and logarithms.
// labels: gradients
#include "derivative_check.hpp"

namespace {

using derivative_check::check;
using derivative_check::R;

TEST_CASE("arithmetic") {
  function_table::arithmetic(derivative_check::check_family);
  check([](const auto& x) { return x + 1; }, [](R) -> R { return 1; }, {-3, 3});
  check([](const auto& x) { return 2 - x; }, [](R) -> R { return -1; }, {-3, 3});
  check([](const auto& x) { return x * x; }, [](R x) -> R { return 2 * x; }, {-3, 3});
  check([](const auto& x) { return 1 / x; }, [](R x) -> R { return -1 / (x * x); }, {0.5, 3});
}

TEST_CASE("steps have the derivative 0") { function_table::rounding(derivative_check::check_family); }

TEST_CASE("roots, exponentials and logarithms") { function_table::exponentials(derivative_check::check_family); }

}  // namespace
