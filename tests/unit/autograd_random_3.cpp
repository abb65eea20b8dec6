// SPDX-License-Identifier: Apache-2.0
// Random expressions of depth 1 to 6, see autograd_random.hpp: seeds 24 to 35.
// labels: gradients
#include "autograd_random.hpp"

TEST_CASE("random expressions, seeds 24 to 35") { random_expression::check_expressions<24, 12>(); }
