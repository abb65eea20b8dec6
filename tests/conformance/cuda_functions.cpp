// SPDX-License-Identifier: Apache-2.0
// The conformance suite for two GPUs: functions. Both in one file, for they share every kernel.
#include "functions.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(operators, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(functions, Cuda<0>, Cuda<1>);

}  // namespace conformance
