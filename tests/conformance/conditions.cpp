// SPDX-License-Identifier: Apache-2.0
// The conformance suite for Cpu: conditions, for which every two element types have lanes of their own.
// labels: values
#include "elementwise.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(conditions, Cpu);

}  // namespace conformance
