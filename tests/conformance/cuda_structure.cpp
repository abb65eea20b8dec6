// SPDX-License-Identifier: Apache-2.0
// The conformance suite for GPUs: structure and order. On the second: what forgets where it is runs on the first.
#include "order.hpp"
#include "structure.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(structure, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(reads, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(indexing, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(reductions_at_indices, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(index_errors, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(sorting, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(order, Cuda<1>);

}  // namespace conformance
