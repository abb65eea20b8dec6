// SPDX-License-Identifier: Apache-2.0
// The conformance suite for two GPUs: creation. Both in one file, for they share every kernel.
#include "creation.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(movement, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(copies, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(large_movement, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(values, Cuda<0>, Cuda<1>);

}  // namespace conformance
