// SPDX-License-Identifier: Apache-2.0
// Random expressions of depth 1 to 6, see autograd_random.hpp: seeds 72 to 83.
// labels: gradients extra
#include "autograd_random.hpp"

TEST_CASE("random expressions, seeds 72 to 83") { random_expression::check_expressions<72, 12>(); }
