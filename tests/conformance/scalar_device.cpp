// SPDX-License-Identifier: Apache-2.0
// labels: gradients (the loops are the tests' own: nothing for sanitizers to find in the library)
// The conformance suite for a device of scalar loops, which is the oracle of the others.
#include "../scalar_device/backend.hpp"
#include "conformance.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(movement, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(copies, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(large_movement, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(values, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(elementwise, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(halves, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(operators, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(functions, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(casts, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(conditions, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(reductions, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(float_reductions, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(exact_reductions, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(reduction_shapes, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(scans, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(composed, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(structure, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(reads, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(indexing, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(reductions_at_indices, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(index_errors, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(sorting, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(products, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(einstein_sums, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(product_forms, scalar_device::Scalar);
TEST_CASE_TEMPLATE_INVOKE(random, scalar_device::Scalar);

}  // namespace conformance
