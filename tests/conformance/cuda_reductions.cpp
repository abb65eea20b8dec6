// SPDX-License-Identifier: Apache-2.0
// The conformance suite for GPUs: reductions. On the second: what forgets where it is runs on the first.
// labels: values
#include "reductions.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(reductions, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(float_reductions, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(exact_reductions, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(reduction_shapes, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(scans, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(composed, Cuda<1>);

}  // namespace conformance
