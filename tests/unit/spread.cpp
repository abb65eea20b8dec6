// SPDX-License-Identifier: Apache-2.0
// Spread values over host devices; tests/cuda/spread.cpp has GPUs, tests/static/spread.cpp what is refused.
// labels: spread
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <situ/distributed.hpp>
#include <situ/ledger.hpp>

#include "../spread.hpp"

using situ::Cpu;
using situ::cpu;
using situ::Cuda;
using situ::Pinned;
using situ::Spread;
using situ::Tensor;

namespace {

struct Product {
  constexpr float operator()(float a, float b) const noexcept { return a * b; }
};

}  // namespace

TEST_CASE("from tensors to spread values and back") {
  spread_test::check_placement(cpu, Pinned{});
  spread_test::check_placement(cpu, cpu, cpu);
  spread_test::check_placement(cpu);
}

TEST_CASE("collectives put terms together in the order of the parts") {
  using situ::ReduceOp;
  for (const situ::Shape& shape : {situ::Shape{}, situ::Shape{0, 3}, situ::Shape{5, 7}, situ::Shape{30011}}) {
    spread_test::check_reduction_over_devices<ReduceOp::sum, float>(shape, cpu, Pinned{}, cpu);
  }
  spread_test::check_reduction_over_devices<ReduceOp::max, float>({5, 7}, cpu, Pinned{});
  spread_test::check_reduction_over_devices<ReduceOp::min, std::int32_t>({30011}, cpu, cpu, cpu);
}

TEST_CASE("what the algebra accepts gives what tensors give") {
  spread_test::check_algebra(cpu, Pinned{});
  spread_test::check_algebra(cpu, cpu, cpu);
}

TEST_CASE("what the rank decides is an error that says so") { spread_test::check_errors(cpu, Pinned{}); }

TEST_CASE("a chain is one evaluation a part, and the function of a user takes part") {
  const Spread s = situ::shard<0>(situ::ones<float>({4, 2}), cpu, cpu);
  const auto before = situ::memory_stats<Cpu>().evaluations;
  const Spread y = exp(map(Product{}, s, s) * 2.f) - 1.f;
  CHECK(situ::memory_stats<Cpu>().evaluations - before == 2);
  CHECK(array_equal(situ::gather(y, cpu), exp(situ::full({4, 2}, 2.f)) - 1.f).item());
}

TEST_CASE("parts share storage with what they were cut from, and stay values") {
  Tensor<float> x = situ::ones<float>({4, 2});
  const Spread s = situ::shard<0>(x, cpu, cpu);
  const Spread r = situ::replicate(x, cpu, Pinned{});
  CHECK(std::get<1>(s.parts()).storage() == x.storage());
  CHECK(std::get<0>(r.parts()).storage() == x.storage());
  Spread t = s;
  t *= 3.f;
  x *= 0.f;
  CHECK(array_equal(situ::gather(s, cpu), situ::ones<float>({4, 2})).item());
  CHECK(array_equal(situ::gather(t, cpu), situ::full({4, 2}, 3.f)).item());
}

TEST_CASE("local values have parts of their own shapes") {
  const Spread s = situ::as<situ::Local>(situ::tensor({1.f, 2.f}), situ::tensor({3.f}));
  const auto [a, b] = situ::local(situ::sum(s * 2.f));
  CHECK(a.item() == 6.f);
  CHECK(b.item() == 6.f);
}

TEST_CASE("a whole whose extents do not fit is none, though its parts are shapes") {
  using namespace situ;
  const std::int64_t large = std::int64_t{1} << 62;
  const auto two = [](const Shape& shape) {
    return as<Sharded<0>>(zeros<float>(shape), zeros<float>(shape, Pinned{}));
  };
  CHECK(two({large / 2, 0, 1}).shape() == Shape{large, 0, 1});
  CHECK_THROWS_AS(static_cast<void>(two({large, 0})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(two({large / 2, 0, 2})), ShapeError);
  const Spread x = replicate(zeros<float>({0, 4}), cpu, Pinned{});
  CHECK_THROWS_AS(static_cast<void>(repeat<1>(x, large)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(one_hot(replicate(zeros<std::int64_t>({large, 0}), cpu, Pinned{}), 4)), ShapeError);
  CHECK(flatten(replicate(zeros<float>({large, 1, 0}), cpu, Pinned{})).shape() == Shape{0});
}

TEST_CASE("a mean of 16-bit floats does not overflow where their sum does") {
  const Tensor<situ::float16> x = situ::full({100000}, situ::float16(2.f));
  CHECK(static_cast<float>(all_reduce(mean(situ::shard<0>(x, cpu, cpu, cpu))).item()) == doctest::Approx(2).epsilon(1e-3));
}

TEST_CASE("replicas that differ are found, by every statement of a checked build") {
  const Tensor<float> x = situ::tensor({1.f, 2.f});
  const Tensor<float, Pinned> y = situ::tensor({1.f, 3.f}).to(Pinned{});
  const auto state = [&] { return situ::as<situ::Replicated>(x, y); };
  if constexpr (situ::checked_build) {
    CHECK_THROWS_AS(static_cast<void>(state()), situ::ValueError);
  } else {
    const Spread r = state();
    CHECK_THROWS_WITH_AS(situ::internal::require_equal_replicas(r.mesh(), r.parts(), "as<Replicated>"),
                         "as<Replicated>: the replicas differ: part 1, on pinned, is not equal to part 0, on cpu; what "
                         "changes one of them must change all",
                         situ::ValueError);
  }
  const Spread equal = situ::as<situ::Replicated>(x, x.to(Pinned{}));
  CHECK_NOTHROW(situ::internal::require_equal_replicas(equal.mesh(), equal.parts(), "as<Replicated>"));
}

TEST_CASE("a ledger has each copy of a collective, with its devices and bytes, under the collective's line") {
  const Tensor<float> x = situ::ones<float>({4});
  const Spread terms = situ::as<situ::Partial<>>(x, x.to(Pinned{}));
  const situ::MovementLedger ledger;
  const int line = __LINE__ + 1;
  const Spread total = all_reduce(terms);
  const Spread pieces = situ::shard<0>(x, cpu, Pinned{});
  const Spread whole = all_gather(pieces);
  std::string text;
  for (const situ::MovementEntry& entry : ledger.entries()) {
    text += entry.operation + " " + (entry.line == 0 ? entry.where() : "+" + std::to_string(entry.line - line)) + " " +
            entry.way() + " " + std::to_string(entry.count) + "x " + std::to_string(entry.bytes) + "\n";
  }
  CHECK(text == "shard somewhere cpu -> pinned 1x 8\n"
                "all_reduce +0 cpu -> pinned 1x 16\nall_reduce +0 pinned -> cpu 1x 16\n"
                "all_gather +2 cpu -> pinned 1x 8\nall_gather +2 pinned -> cpu 1x 8\n");
  const situ::MovementBudget nothing({.bytes = 0});
  CHECK_THROWS_AS(static_cast<void>(all_reduce(terms)), situ::MovementBudgetExceeded);
}

TEST_CASE("spread values print as tensors, with the layout in the place of the device") {
  const Spread s = situ::shard<0>(situ::tensor({1.f, 2.f, 3.f}), cpu, Pinned{});
  CHECK(to_string(s + 1.f) ==
        "spread([2., 3., 4.], shape=(3,), dtype=float32, layout=Sharded<0>, parts=[cpu (2,), pinned (1,)])");
  CHECK(to_string(situ::replicate(situ::full({}, 2), cpu, cpu)) ==
        "spread(2, shape=(), dtype=int32, layout=Replicated, parts=[cpu (), cpu ()])");
  CHECK(to_string(situ::as<situ::Local>(situ::tensor({true}), situ::tensor({true, false}))) ==
        "spread(layout=Local, parts=[cpu (1,), cpu (2,)]\ntensor([ True], shape=(1,), dtype=bool, device='cpu')\n"
        "tensor([ True, False], shape=(2,), dtype=bool, device='cpu'))");
}

#if !defined(SITU_CUDA)
TEST_CASE("a GPU that the build cannot have: DeviceUnavailable") {
  const Tensor<float> x = situ::tensor({1.f, 2.f});
  CHECK_THROWS_AS((static_cast<void>(situ::shard<0>(x, situ::gpu<0>, situ::gpu<1>))), situ::DeviceUnavailable);
  CHECK_THROWS_AS((static_cast<void>(situ::gather(situ::shard<0>(x, cpu, cpu), situ::gpu<0>))),
                  situ::DeviceUnavailable);
}
#endif
