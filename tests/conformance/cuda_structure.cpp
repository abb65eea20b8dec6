// SPDX-License-Identifier: Apache-2.0
// The conformance suite for two GPUs: structure and order. Both in one file, for they share every kernel.
#include "order.hpp"
#include "structure.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(structure, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(reads, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(indexing, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(reductions_at_indices, Cuda<0>);
TEST_CASE_TEMPLATE_INVOKE(index_errors, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(sorting, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(order, Cuda<0>);

}  // namespace conformance
