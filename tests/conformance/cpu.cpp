// SPDX-License-Identifier: Apache-2.0
// The conformance suite for Cpu.
#include "conformance.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, Cpu);
TEST_CASE_TEMPLATE_INVOKE(movement, Cpu);
TEST_CASE_TEMPLATE_INVOKE(copies, Cpu);
TEST_CASE_TEMPLATE_INVOKE(large_movement, Cpu);
TEST_CASE_TEMPLATE_INVOKE(values, Cpu);
TEST_CASE_TEMPLATE_INVOKE(elementwise, Cpu);
TEST_CASE_TEMPLATE_INVOKE(halves, Cpu);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, Cpu);
TEST_CASE_TEMPLATE_INVOKE(operators, Cpu);
TEST_CASE_TEMPLATE_INVOKE(functions, Cpu);
TEST_CASE_TEMPLATE_INVOKE(casts, Cpu);
TEST_CASE_TEMPLATE_INVOKE(conditions, Cpu);
TEST_CASE_TEMPLATE_INVOKE(reductions, Cpu);
TEST_CASE_TEMPLATE_INVOKE(float_reductions, Cpu);
TEST_CASE_TEMPLATE_INVOKE(exact_reductions, Cpu);
TEST_CASE_TEMPLATE_INVOKE(reduction_shapes, Cpu);
TEST_CASE_TEMPLATE_INVOKE(scans, Cpu);
TEST_CASE_TEMPLATE_INVOKE(composed, Cpu);
TEST_CASE_TEMPLATE_INVOKE(structure, Cpu);
TEST_CASE_TEMPLATE_INVOKE(reads, Cpu);
TEST_CASE_TEMPLATE_INVOKE(indexing, Cpu);
TEST_CASE_TEMPLATE_INVOKE(index_errors, Cpu);
TEST_CASE_TEMPLATE_INVOKE(sorting, Cpu);
TEST_CASE_TEMPLATE_INVOKE(products, Cpu);
TEST_CASE_TEMPLATE_INVOKE(product_forms, Cpu);
TEST_CASE_TEMPLATE_INVOKE(random, Cpu);

}  // namespace conformance
