// SPDX-License-Identifier: Apache-2.0
// The collectives among host devices, in a build without GPUs; tests/cuda/distributed.cpp has the rest.
#include <doctest/doctest.h>

#include <tuple>
#include <vector>

#include <situ/device/runtime.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/ops/literal.hpp>

using situ::Cpu;
using situ::Cuda;
using situ::Pinned;
using situ::Tensor;

TEST_CASE("scatter, gather, broadcast and all_reduce among Cpu and Pinned") {
  const Tensor<float> x = situ::tensor({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const auto [a, b] = situ::scatter<Cpu, Pinned>(x);
  CHECK(a.shape() == situ::Shape{2, 2});
  CHECK(b(0, 1) == 6.f);
  const Tensor<float, Pinned> whole = situ::gather<Pinned>(a, b);
  CHECK(std::vector<float>(whole.begin(), whole.end()) == std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto [c, d] = situ::all_reduce<situ::ReduceOp::mean>(situ::broadcast<Cpu, Pinned>(a * 2));
  CHECK(std::vector<float>(c.begin(), c.end()) == std::vector<float>{2, 4, 6, 8});
  CHECK(std::vector<float>(d.begin(), d.end()) == std::vector<float>{2, 4, 6, 8});
}

#if !defined(SITU_CUDA)
TEST_CASE("a GPU that the build cannot have: DeviceUnavailable") {
  const Tensor<float> x = situ::tensor({1.f, 2.f});
  CHECK_THROWS_AS((static_cast<void>(situ::scatter<Cuda<0>, Cuda<1>>(x))), situ::DeviceUnavailable);
  CHECK_THROWS_AS((static_cast<void>(situ::gather<Cuda<0>>(x, x))), situ::DeviceUnavailable);
}
#endif
