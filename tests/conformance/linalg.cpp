// SPDX-License-Identifier: Apache-2.0
// The conformance suite for host devices: linear algebra, in a file of its own for Eigen's factorisations.
#include "linalg.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(linalg_solvers, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(linalg_factors, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(linalg_errors, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(linalg_gradients, Cpu);

}  // namespace conformance
