// SPDX-License-Identifier: Apache-2.0
// Values against what is exact, on GPUs.
#include "exact.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(large_losses, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(infinite_gradients, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(rounded_once, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(indexed_sums, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(long_sums, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(bounded_quantiles, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(weighted_draws, Cuda<1>);

}  // namespace conformance
