// SPDX-License-Identifier: Apache-2.0
// The conformance suite for Pinned.
#include "conformance.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(creation, Pinned);
TEST_CASE_TEMPLATE_INVOKE(movement, Pinned);
TEST_CASE_TEMPLATE_INVOKE(elementwise, Pinned);
TEST_CASE_TEMPLATE_INVOKE(halves, Pinned);
TEST_CASE_TEMPLATE_INVOKE(broadcasting, Pinned);
TEST_CASE_TEMPLATE_INVOKE(writing, Pinned);
TEST_CASE_TEMPLATE_INVOKE(reductions, Pinned);
TEST_CASE_TEMPLATE_INVOKE(structure, Pinned);
TEST_CASE_TEMPLATE_INVOKE(products, Pinned);
TEST_CASE_TEMPLATE_INVOKE(random, Pinned);
TEST_CASE_TEMPLATE_INVOKE(composed, Pinned);

}  // namespace conformance
