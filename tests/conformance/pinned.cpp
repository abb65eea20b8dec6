// SPDX-License-Identifier: Apache-2.0
// The conformance suite for Pinned.
#include "conformance.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, Pinned);
TEST_CASE_TEMPLATE_INVOKE(movement, Pinned);
TEST_CASE_TEMPLATE_INVOKE(copies, Pinned);
TEST_CASE_TEMPLATE_INVOKE(large_movement, Pinned);
TEST_CASE_TEMPLATE_INVOKE(values, Pinned);
TEST_CASE_TEMPLATE_INVOKE(elementwise, Pinned);
TEST_CASE_TEMPLATE_INVOKE(halves, Pinned);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, Pinned);
TEST_CASE_TEMPLATE_INVOKE(operators, Pinned);
TEST_CASE_TEMPLATE_INVOKE(functions, Pinned);
TEST_CASE_TEMPLATE_INVOKE(casts, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reductions, Pinned);
TEST_CASE_TEMPLATE_INVOKE(float_reductions, Pinned);
TEST_CASE_TEMPLATE_INVOKE(exact_reductions, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reduction_shapes, Pinned);
TEST_CASE_TEMPLATE_INVOKE(scans, Pinned);
TEST_CASE_TEMPLATE_INVOKE(composed, Pinned);
TEST_CASE_TEMPLATE_INVOKE(structure, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reads, Pinned);
TEST_CASE_TEMPLATE_INVOKE(indexing, Pinned);
TEST_CASE_TEMPLATE_INVOKE(index_errors, Pinned);
TEST_CASE_TEMPLATE_INVOKE(sorting, Pinned);
TEST_CASE_TEMPLATE_INVOKE(products, Pinned);
TEST_CASE_TEMPLATE_INVOKE(product_forms, Pinned);
TEST_CASE_TEMPLATE_INVOKE(random, Pinned);

}  // namespace conformance
