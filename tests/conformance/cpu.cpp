// SPDX-License-Identifier: Apache-2.0
// The conformance suite for Cpu.
#include "conformance.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, Cpu);
TEST_CASE_TEMPLATE_INVOKE(movement, Cpu);
TEST_CASE_TEMPLATE_INVOKE(elementwise, Cpu);
TEST_CASE_TEMPLATE_INVOKE(halves, Cpu);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, Cpu);
TEST_CASE_TEMPLATE_INVOKE(writing, Cpu);
TEST_CASE_TEMPLATE_INVOKE(reductions, Cpu);
TEST_CASE_TEMPLATE_INVOKE(structure, Cpu);
TEST_CASE_TEMPLATE_INVOKE(products, Cpu);
TEST_CASE_TEMPLATE_INVOKE(random, Cpu);
TEST_CASE_TEMPLATE_INVOKE(composed, Cpu);

}  // namespace conformance
