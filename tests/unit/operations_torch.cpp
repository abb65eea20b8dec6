// SPDX-License-Identifier: Apache-2.0
// Operations and their gradients against PyTorch's, see ../golden/torch/operations.py.
// labels: gradients
#include <doctest/doctest.h>

#include <situ/situ.hpp>

#include "../golden/torch/operations.hpp"

namespace {

TEST_CASE("operations and their gradients are PyTorch's") { golden_torch::check_operations<situ::Cpu>(); }

}  // namespace
