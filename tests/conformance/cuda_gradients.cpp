// SPDX-License-Identifier: Apache-2.0
// The conformance suite for two GPUs: gradients. Both in one file, for they share every kernel.
#include "gradients.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(gradients, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(gradients_of_expressions, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(gradients_of_operations, Cuda<0>, Cuda<1>);

}  // namespace conformance
