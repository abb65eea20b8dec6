// SPDX-License-Identifier: Apache-2.0
// The conformance suite for GPUs: linear algebra. One is enough: which GPU it is nothing here asks.
#include "linalg.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(linalg_solvers, Cuda<0>);
TEST_CASE_TEMPLATE_INVOKE(linalg_factors, Cuda<0>);
TEST_CASE_TEMPLATE_INVOKE(linalg_errors, Cuda<0>);
TEST_CASE_TEMPLATE_INVOKE(linalg_gradients, Cuda<0>);

}  // namespace conformance
