// SPDX-License-Identifier: Apache-2.0
// The conformance suite for GPUs: products. On the second: what forgets where it is runs on the first.
#include "products.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(products, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(einstein_sums, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(product_forms, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(random, Cuda<1>);

}  // namespace conformance
