// SPDX-License-Identifier: Apache-2.0
// PyTorch's values and gradients on the emulated GPU, of the operations whose gradients are kernels of their own: order, scans,
// indices, contractions. No file of a real GPU: beside cuda_gradients.cpp, nvcc had not compiled it after ten minutes.
#include <doctest/doctest.h>

#include <situ/situ.hpp>

#include "../golden/torch/operations.hpp"

namespace {

TEST_CASE("operations and their gradients on a GPU are PyTorch's") {
  golden_torch::Operations<situ::Cuda<0>> file;
  golden_torch::check_order(file);
  golden_torch::check_indices(file);
  golden_torch::check_products(file);
}

}  // namespace
