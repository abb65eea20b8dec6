// SPDX-License-Identifier: Apache-2.0
// Spread values over host devices; tests/cuda/spread.cpp has GPUs.
#include <doctest/doctest.h>

#include <vector>

#include <situ/device/runtime.hpp>
#include <situ/distributed.hpp>

using situ::cpu;
using situ::pinned;
using situ::Spread;
using situ::Tensor;

TEST_CASE("a chain over sharded and replicated values is that of tensors") {
  const Tensor<float> x = situ::tensor({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const Tensor<float> b = situ::tensor({0.5f, -1.f});
  const Spread rows = situ::shard<0>(x, cpu, pinned);
  const Spread y = exp(rows + situ::replicate(b, cpu, pinned)) + 1;
  const Tensor<float> expected = exp(x + b) + 1;
  CHECK(array_equal(situ::gather(y, cpu), expected).item());
  CHECK(array_equal(situ::gather(situ::reshard<1>(y), cpu), expected).item());
  CHECK(array_equal(situ::gather(all_reduce(situ::sum<0>(y)), cpu), situ::sum(expected, 0)).item());
}
