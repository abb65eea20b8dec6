// SPDX-License-Identifier: Apache-2.0
// Random expressions of depth 1 to 6, see autograd_random.hpp: seeds 0 to 11.
// labels: gradients
#include "autograd_random.hpp"

TEST_CASE("random expressions, seeds 0 to 11") { random_expression::check_expressions<0, 12>(); }
