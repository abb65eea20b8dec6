// SPDX-License-Identifier: Apache-2.0
// Spread values over GPUs, with and without peer access, and over GPUs and the host.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <situ/distributed.hpp>

#include "../spread.hpp"
#include "support.hpp"

namespace {

using situ::Cpu;
using situ::cpu;
using situ::Cuda;
using situ::gpu;
using situ::Partial;
using situ::Pinned;
using situ::ReduceOp;
using situ::Shape;
using situ::Sharded;
using situ::Spread;
using situ::Stream;
using situ::StreamScope;
using situ::Tensor;
using spread_test::everywhere;
using spread_test::same_bits;
using spread_test::sample;

/// Calls `f` with the GPUs reaching each other's memory, and, where they are emulated, without.
template <class F>
void with_and_without_peers(F&& f) {
  f();
#if defined(SITU_CUDA_EMULATED)
  const auto set = [](bool possible) {
    situ::internal::cuda::emulated::set_peer_access(0, 1, possible);
    situ::internal::cuda::emulated::set_peer_access(1, 0, possible);
    situ::internal::cuda::device_state(0).peers = {};
    situ::internal::cuda::device_state(1).peers = {};
  };
  set(false);
  INFO("no peer access");
  f();
  if (situ::internal::cuda::device_state(0).physical != situ::internal::cuda::device_state(1).physical)
    CHECK(situ::internal::cuda::device_state(0).peers[1] == -1);
  set(true);
#endif
}

}  // namespace

TEST_CASE("from tensors to spread values and back, over GPUs and the host") {
  with_and_without_peers([] {
    spread_test::check_placement(gpu<0>, gpu<1>);
    spread_test::check_placement(gpu<1>, cpu, gpu<0>);
  });
}

TEST_CASE("collectives of GPUs put terms together in the order of the parts, and give the same bits everywhere") {
  with_and_without_peers([] {
    for (const Shape& shape : {Shape{}, Shape{0, 3}, Shape{3, 5}, Shape{30011}}) {  // the last is divided
      spread_test::check_reduction_over_devices<ReduceOp::sum, float>(shape, gpu<1>, cpu, gpu<0>);
    }
    spread_test::check_reduction_over_devices<ReduceOp::sum, situ::float16>({40000}, gpu<1>, cpu, gpu<0>);
    spread_test::check_reduction_over_devices<ReduceOp::sum, std::int32_t>({20, 1001}, gpu<0>, gpu<1>);
    spread_test::check_reduction_over_devices<ReduceOp::max, float>({200, 101}, gpu<0>, gpu<1>);
  });
}

TEST_CASE("what the algebra accepts gives on GPUs what tensors give") {
  // all of it in tests/unit/spread.cpp: each operation here is a kernel that nvcc compiles
  const Tensor<float> x = sample<float>({7, 3}, 1), b = sample<float>({3}, 3);
  const Spread s = situ::shard<0>(x, gpu<0>, gpu<1>);
  const Spread r = situ::replicate(b, gpu<0>, gpu<1>);
  CHECK(same_bits(situ::gather(abs(s - r) * 2.f, cpu), Tensor<float>(abs(x - b) * 2.f)));
  Spread u = s;
  u += r;
  CHECK(same_bits(situ::gather(u, cpu), Tensor<float>(x + b)));
  CHECK(same_bits(situ::gather(s, cpu), x));
  CHECK(everywhere(situ::all_reduce(situ::max<0>(s)), situ::max(x, 0)));
  const Spread one = situ::shard<0>(x(situ::range(0, 1)), gpu<0>, gpu<1>);  // the second GPU has no row
  CHECK(everywhere(situ::all_reduce(situ::max<0>(one)), contiguous(x(0, situ::all))));
  const Spread total = situ::sum<0>(s) - situ::sum<0>(s) * 0.5f;
  const Tensor<float> half = situ::gather(situ::all_reduce(total), cpu);
  CHECK(situ::allclose(half, situ::sum(x, 0) * 0.5f, {.relative = 1e-5}).item());
}

TEST_CASE("what the rank decides is an error on GPUs too") { spread_test::check_errors(gpu<0>, gpu<1>); }

TEST_CASE("three GPUs, which share nothing evenly") {
#if defined(SITU_CUDA_EMULATED)
  if (!cuda_test::is_child()) {
    CHECK(cuda_test::passes_alone("three GPUs, which share nothing evenly", "SITU_EMULATED_DEVICES=3"));
    return;
  }
  spread_test::check_placement(gpu<0>, gpu<1>, gpu<2>);
  spread_test::check_reduction_over_devices<ReduceOp::sum, float>({5, 4001}, gpu<2>, gpu<0>, gpu<1>);
#endif
}

TEST_CASE("views and expressions are spread as what they show") {
  with_and_without_peers([] {
    const Tensor<std::int32_t> x = sample<std::int32_t>({6, 5}, 1);
    const Tensor<std::int32_t, Cuda<0>> y = x.to<Cuda<0>>();
    const Tensor<std::int32_t> turned = contiguous(transpose(x));
    CHECK(same_bits(situ::gather(situ::shard<0>(transpose(x), gpu<0>, gpu<1>), cpu), turned));
    CHECK(same_bits(situ::gather(situ::shard<0>(transpose(y), gpu<0>, gpu<1>), gpu<1>).to(cpu), turned));
    CHECK(same_bits(situ::gather(situ::shard<1>(y * 2 + 1, gpu<0>, gpu<1>), cpu), Tensor<std::int32_t>(x * 2 + 1)));
    Tensor<std::int32_t> whole = x.copy_to<Cpu>();
    CHECK(same_bits(situ::gather(situ::shard<0>(whole.at(situ::all, 2), gpu<0>, cpu), gpu<1>).to(cpu),
                    contiguous(x(situ::all, 2))));
    CHECK(everywhere(situ::replicate(transpose(y), gpu<1>, gpu<0>, Pinned{}, cpu), turned));
  });
}

TEST_CASE("nothing is copied twice: gather allocates its result only, shard the parts") {
  const Tensor<float, Cuda<0>> x = sample<float>({1000, 3}, 1).to(gpu<0>);
  const auto allocated = [](auto&& call) {
    const auto before = situ::memory_stats<Cuda<0>>().allocations + situ::memory_stats<Cuda<1>>().allocations;
    static_cast<void>(call());
    return situ::memory_stats<Cuda<0>>().allocations + situ::memory_stats<Cuda<1>>().allocations - before;
  };
  CHECK(allocated([&] { return situ::shard<0>(x, gpu<0>, gpu<1>); }) == 1);
  const Spread s = situ::shard<0>(x, gpu<0>, gpu<1>);
  CHECK(allocated([&] { return situ::gather(s, gpu<0>); }) == 1);
  CHECK(allocated([&] { return situ::gather(s, gpu<1>); }) == 1);
  CHECK(allocated([&] { return situ::gather(s, cpu); }) == 0);
  CHECK(allocated([&] { return situ::all_gather(s); }) == 2);
  CHECK(allocated([&] { return situ::replicate(x, gpu<1>, cpu); }) == 1);
}

TEST_CASE("on its own device a part shares storage, and stays a value") {
  Tensor<float, Cuda<0>> x = sample<float>({4, 2}, 1).to(gpu<0>);
  const Tensor<float> before = x.to(cpu);
  const Spread s = situ::shard<0>(x, gpu<0>, gpu<1>);
  const Spread r = situ::replicate(x, gpu<0>, gpu<1>);
  CHECK(std::get<0>(s.parts()).storage() == x.storage());
  CHECK(std::get<0>(r.parts()).storage() == x.storage());
  x *= 0.f;
  CHECK(same_bits(situ::gather(s, cpu), before));
  CHECK(everywhere(r, before));
}

TEST_CASE("collectives are in order with the work before and after them, in any streams") {
  with_and_without_peers([] {
    const Stream<Cuda<0>> side0;
    const Stream<Cuda<1>> side1;
    const Shape shape{200, 150};  // large enough to be divided
    const std::vector<Tensor<float>> terms{Tensor<float>(sample<float>(shape, 1) * 2.f), sample<float>(shape, 2)};
    const Tensor<float> expected = spread_test::put_together<ReduceOp::sum>(terms);
    Tensor<float, Cuda<0>> a = sample<float>(shape, 1).to(gpu<0>);
    Tensor<float, Cuda<1>> b = terms[1].to(gpu<1>);
    {
      const StreamScope scope(side0);
      a *= 2.f;
    }
    Spread p = situ::as<Partial<>>(a, b);
    const auto [sums, pieces] = [&] {
      const StreamScope scope(side1);
      return std::pair(situ::all_reduce(p), situ::reduce_scatter<0>(p));
    }();
    p = Spread<float, Partial<>, Cuda<0>, Cuda<1>>();
    a = situ::zeros<float>(shape, gpu<0>);
    b *= 0.f;  // in place, once the others have read it
    auto [c, d] = situ::local(sums);
    Tensor<float, Cuda<0>> doubled;
    {
      const StreamScope scope(side0);
      doubled = c * 2.f;
      c *= 0.f;
    }
    CHECK(everywhere(sums, expected));
    CHECK(same_bits(Tensor<float>(doubled.to(cpu) * 0.5f), expected));
    CHECK(same_bits(Tensor<float>(abs(c.to(cpu))), situ::zeros<float>(shape)));
    CHECK(same_bits(situ::gather(situ::reshard<1>(pieces), gpu<1>).to(cpu), expected));
    CHECK(everywhere(situ::all_gather(pieces), expected));
  });
}

TEST_CASE("where memory runs out amid a collective, nothing is changed") {
  const Spread s = situ::shard<0>(sample<float>({200, 200}, 1), gpu<1>, gpu<0>);
  const Tensor<float> before = situ::gather(s, cpu);
  for (std::int64_t n = 0;; ++n) {
    const auto failure = situ::internal::memory::fail_allocation_after<Cuda<1>>(n);
    try {
      static_cast<void>(situ::all_reduce(situ::partial(situ::all_gather(situ::reshard<1>(s)))));
      if (!failure.fired()) break;
      FAIL("OutOfMemory");
    } catch (const situ::OutOfMemory&) {
    }
  }
  CHECK(same_bits(situ::gather(s, cpu), before));
}
