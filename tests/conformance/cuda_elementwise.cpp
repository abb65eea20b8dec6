// SPDX-License-Identifier: Apache-2.0
// The conformance suite for two GPUs: elementwise. Both in one file, for they share every kernel.
#include "elementwise.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(elementwise, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(halves, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(casts, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(conditions, Cuda<0>);

}  // namespace conformance
