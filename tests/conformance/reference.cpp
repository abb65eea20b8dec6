// SPDX-License-Identifier: Apache-2.0
// labels: values (the loops are the tests' own: nothing for sanitizers to find in the library)
// The conformance suite for a device of scalar loops, which is the oracle of the others.
#include "../reference/backend.hpp"
#include "conformance.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(movement, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(copies, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(large_movement, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(values, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(elementwise, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(halves, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(operators, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(functions, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(casts, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(conditions, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(reductions, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(float_reductions, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(exact_reductions, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(reduction_shapes, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(scans, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(composed, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(structure, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(reads, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(indexing, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(index_errors, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(sorting, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(products, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(product_forms, reference::Scalar);
TEST_CASE_TEMPLATE_INVOKE(random, reference::Scalar);

}  // namespace conformance
