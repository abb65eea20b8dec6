// SPDX-License-Identifier: Apache-2.0
// The collectives among host devices, in a build without GPUs; tests/cuda/distributed.cpp has the rest.
#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include <situ/device/runtime.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/ops/nested_list.hpp>

using situ::Cpu;
using situ::Cuda;
using situ::Pinned;
using situ::Tensor;

namespace {

template <class X>
concept Scattered = requires(const X& x) { situ::scatter<Cuda<0>, Cuda<1>>(x); };
template <class X>
concept ScatteredNowhere = requires(const X& x) { situ::scatter(x); };
template <class... X>
concept Gathered = requires(const X&... x) { situ::gather<Cpu>(x...); };
template <class... X>
concept GatheredNowhere = requires(const X&... x) { situ::gather(x...); };
template <situ::ReduceOp Op, class... X>
concept Reduced = requires(const X&... x) { situ::all_reduce<Op>(x...); };
template <class T, class D>
using X = Tensor<T, D>;
constexpr auto sum = situ::ReduceOp::sum, mean = situ::ReduceOp::mean;

static_assert(Scattered<X<bool, Cpu>> && Scattered<X<float, Cuda<3>>> && !Scattered<float>);
static_assert(!ScatteredNowhere<X<float, Cpu>>, "devices must be named");
static_assert(Gathered<X<bool, Cuda<0>>, X<bool, Cuda<1>>> && !Gathered<>);
static_assert(!Gathered<X<float, Cuda<0>>, X<double, Cuda<0>>> && !Gathered<std::tuple<X<float, Cpu>, X<double, Cpu>>>);
static_assert(!Gathered<X<float, Cpu>, X<float, Cpu>, X<double, Cpu>>, "one element type");
static_assert(!GatheredNowhere<X<float, Cuda<0>>, X<float, Cuda<1>>> && !GatheredNowhere<std::tuple<X<float, Cpu>>>);
static_assert(Reduced<sum, X<std::int32_t, Cuda<0>>, X<std::int32_t, Cpu>> && Reduced<mean, X<float, Cuda<0>>>);
static_assert(!Reduced<sum, X<bool, Cuda<0>>> && !Reduced<mean, X<std::int32_t, Cuda<0>>>, "no sum, no mean");
static_assert(!Reduced<mean, std::tuple<X<std::int32_t, Cpu>>> && !Reduced<sum, X<float, Cpu>, X<double, Cpu>>);

}  // namespace

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
  CHECK_THROWS_AS((static_cast<void>(situ::all_reduce(x.to<Cuda<0>>(), x.to<Cuda<1>>()))), situ::DeviceUnavailable);
}
#endif
