// SPDX-License-Identifier: Apache-2.0
// Products, structure, indices, losses over GPUs: what tests/unit/spread_operations.cpp shows for the host.
#include <doctest/doctest.h>

#include "../spread_operations.hpp"

using situ::cpu;
using situ::Cuda;
using spread_test::row_counts;

TEST_CASE("operations over values that are spread over two GPUs") {
  for (const std::int64_t rows : row_counts) {
    spread_test::check_products(rows, Cuda<0>{}, Cuda<1>{});
    spread_test::check_axes(rows, Cuda<0>{}, Cuda<1>{});
    spread_test::check_lookups_and_losses(rows, Cuda<0>{}, Cuda<1>{});
  }
}

TEST_CASE("operations over values that are spread over three GPUs") {
  for (const std::int64_t rows : row_counts) {
    spread_test::check_products(rows, Cuda<0>{}, Cuda<1>{}, Cuda<2>{});
    spread_test::check_axes(rows, Cuda<0>{}, Cuda<1>{}, Cuda<2>{});
    spread_test::check_lookups_and_losses(rows, Cuda<0>{}, Cuda<1>{}, Cuda<2>{});
  }
}
