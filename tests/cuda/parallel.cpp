// SPDX-License-Identifier: Apache-2.0
// Gradients of spread values, and networks over several GPUs: they follow those on the CPU.
#include "../unit/parallel_cases.hpp"

namespace {
using namespace parallel_cases;
}  // namespace

TEST_CASE("gradients and training on two GPUs follow those on one device") { all_cases(gpu<0>, gpu<1>); }
TEST_CASE("gradients and training on three GPUs follow those on one device") {
  if (!is_available<Cuda<2>>()) return;  // see cuda.parallel.three in tests/emulated.cmake
  SUBCASE("collectives") { collectives(gpu<0>, gpu<1>, gpu<2>); }
  SUBCASE("data parallel") { data_parallel_training(gpu<0>, gpu<1>, gpu<2>); }
  SUBCASE("tensor parallel") { tensor_parallel_training(gpu<0>, gpu<1>, gpu<2>); }
}
TEST_CASE("a batch goes through a pipeline of GPUs in pieces") { pipeline_training(gpu<0>, gpu<1>); }
