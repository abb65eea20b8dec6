// SPDX-License-Identifier: Apache-2.0
// The conformance suite for Cpu and Pinned. Both in one file, for they share every kernel.
#include "conformance.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(movement, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(copies, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(large_movement, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(values, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(elementwise, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(halves, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(operators, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(functions, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(casts, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reductions, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(float_reductions, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(exact_reductions, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reduction_shapes, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(scans, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(composed, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(structure, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reads, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(indexing, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reductions_at_indices, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(index_errors, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(sorting, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(products, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(einstein_sums, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(product_forms, Cpu, Pinned);
TEST_CASE_TEMPLATE_INVOKE(random, Cpu, Pinned);

}  // namespace conformance
