// SPDX-License-Identifier: Apache-2.0
// Random expressions of depth 1 to 6, see autograd_random.hpp: seeds 36 to 47.
// labels: gradients extra
#include "autograd_random.hpp"

TEST_CASE("random expressions, seeds 36 to 47") { random_expression::check_expressions<36, 12>(); }
