// SPDX-License-Identifier: Apache-2.0
// Random expressions of depth 1 to 6, see autograd_random.hpp: seeds 48 to 59.
// labels: gradients extra
#include "autograd_random.hpp"

TEST_CASE("random expressions, seeds 48 to 59") { random_expression::check_expressions<48, 12>(); }
