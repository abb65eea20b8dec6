// SPDX-License-Identifier: Apache-2.0
// The conformance suite for two GPUs: products. Both in one file, for they share every kernel.
#include "products.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(products, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(einstein_sums, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(product_forms, Cuda<0>, Cuda<1>);
TEST_CASE_TEMPLATE_INVOKE(random, Cuda<0>, Cuda<1>);

}  // namespace conformance
