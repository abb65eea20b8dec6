// SPDX-License-Identifier: Apache-2.0
// The conformance suite for GPUs: elementwise. On the second: what forgets where it is runs on the first.
#include "elementwise.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(elementwise, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(halves, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(casts, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(conditions, Cuda<1>);

}  // namespace conformance
