// SPDX-License-Identifier: Apache-2.0
// Values against what is exact, on the CPU.
#include "exact.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(large_losses, Cpu);
TEST_CASE_TEMPLATE_INVOKE(infinite_gradients, Cpu);
TEST_CASE_TEMPLATE_INVOKE(rounded_once, Cpu);
TEST_CASE_TEMPLATE_INVOKE(indexed_sums, Cpu);
TEST_CASE_TEMPLATE_INVOKE(long_sums, Cpu);
TEST_CASE_TEMPLATE_INVOKE(bounded_quantiles, Cpu);
TEST_CASE_TEMPLATE_INVOKE(weighted_draws, Cpu);

}  // namespace conformance
