// SPDX-License-Identifier: Apache-2.0
// The conformance suite for host devices: gradients, which take longer to compile than all the rest.
// labels: gradients
#include "gradients.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(gradients, Cpu, Pinned);

}  // namespace conformance
