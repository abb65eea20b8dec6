// SPDX-License-Identifier: Apache-2.0
// The conformance suite for GPUs: gradients. On the second: what forgets where it is runs on the first.
#include "gradients.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(gradients, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(gradients_of_expressions, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(gradients_of_operations, Cuda<1>);

}  // namespace conformance
