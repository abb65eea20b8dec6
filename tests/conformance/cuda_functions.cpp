// SPDX-License-Identifier: Apache-2.0
// The conformance suite for GPUs: functions. On the second: what forgets where it is runs on the first.
#include "functions.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(operators, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(functions, Cuda<1>);

}  // namespace conformance
