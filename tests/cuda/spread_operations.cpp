// SPDX-License-Identifier: Apache-2.0
// Products, structure, indices, losses over GPUs: what tests/unit/spread_operations.cpp shows for the host.
#include <doctest/doctest.h>

#include <cstdint>

#include "../spread_operations.hpp"
#include "support.hpp"

using situ::gpu;

namespace {

template <class... D>
void check(D... device) {
  for (const std::int64_t rows : spread_test::row_counts) {
    spread_test::check_products(rows, device...);
    spread_test::check_lookups_and_losses(rows, device...);
#if defined(SITU_CUDA_EMULATED)  // nvcc takes minutes for it, and what is along or on an axis has no kernel of its own
    spread_test::check_axes(rows, device...);
#endif
  }
#if defined(SITU_CUDA_EMULATED)  // the host decides
  spread_test::check_operation_errors(device...);
#endif
}

}  // namespace

TEST_CASE("operations over values that are spread over GPUs are those of tensors") { check(gpu<0>, gpu<1>); }

TEST_CASE("operations over three GPUs, which share nothing evenly") {
#if defined(SITU_CUDA_EMULATED)
  if (!cuda_test::is_child()) {
    CHECK(cuda_test::passes_alone("operations over three GPUs, which share nothing evenly", "SITU_EMULATED_DEVICES=3"));
    return;
  }
  check(gpu<0>, gpu<1>, gpu<2>);
#endif
}
