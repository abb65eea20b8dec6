// SPDX-License-Identifier: Apache-2.0
// What the conformance suite says of products, where SITU_PRODUCTS is not that of the build; unit/gemm.cpp stands beside it in
// the same program.
#include "../conformance/products.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(products, Cpu);
TEST_CASE_TEMPLATE_INVOKE(product_forms, Cpu);

}  // namespace conformance
