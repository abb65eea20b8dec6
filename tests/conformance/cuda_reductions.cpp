// SPDX-License-Identifier: Apache-2.0
// The conformance suite for two GPUs: reductions. Both in one file, for they share every kernel.
#include "reductions.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(reductions, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(float_reductions, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(exact_reductions, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(reduction_shapes, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(scans, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(composed, Cuda<0>, Cuda<1>);

}  // namespace conformance
