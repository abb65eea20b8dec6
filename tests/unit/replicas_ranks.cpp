// SPDX-License-Identifier: Apache-2.0
// labels: spread
// Replicas of ranks, which are threads here, that one of them has changed alone.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include <situ/parallel.hpp>
#include <situ/world.hpp>

#include "../world/suite.hpp"
#include "../world/thread_job.hpp"

namespace {

using namespace situ;
using State = std::shared_ptr<internal::world::GroupState>;

const Shape rows{6, 2};

/// Every rank, rank 2 of 3 among them, is told what `change(net, optimizer)` has made different there.
template <template <class, class> class O, class Change>
void expect_found(const std::string& text, Change change) {
  const auto said = threads_as_ranks::run(3, [&](const State& state) {
    const Group<Cpu> group(state);
    auto net = replicas(nn::Sequential{nn::Linear(2, 3), nn::Linear(3, 1)}, group);
    auto optimizer = spread_optimizer<O>(net, {.learning_rate = 0.5});
    optimizer.compare_every = 2;
    const Spread x = group.shard<0>(suite::term<float>(0, rows));
    const auto step = [&] { optimizer.step(net, all_reduce(backward(mean(square(net(x)))))); };
    step();
    step();
    if (group.rank() == Rank{2}) change(net, optimizer);
    CHECK_THROWS_WITH_AS(step(), text.c_str(), ValueError);
  });
  for (const std::string& each : said) CHECK(each == "");
}

const std::string end =
    "; load, set and change all of them alike, or make the replicas after that: all begin equal to the first";

}  // namespace

TEST_CASE("what one rank has changed alone is found on all") {
  expect_found<optim::Adam>("step: the replicas differ: parameter '1.weight' on rank 2 cpu is not equal to that on rank 0 cpu" + end,
                            [](auto& net, auto&) {
                              layer<1>(net.module()).weight.update([](auto& value) { value += 1.f; });
                              net.join();
                            });
  expect_found<optim::Adam>(
      "step: the replicas differ: the setting 'learning_rate' is 0.25 on rank 2 cpu, and 0.5 on rank 0 cpu" + end,
      [](auto&, auto& optimizer) { optimizer.learning_rate = 0.25; });
  expect_found<optim::SGD>("step: the replicas differ: the setting 'weight_decay' is 0.25 on rank 2 cpu, and 0 on rank 0 cpu" + end,
                           [](auto& net, auto& optimizer) {
                             const std::int64_t every = optimizer.compare_every;
                             optimizer = spread_optimizer<optim::SGD>(
                                 net, {.learning_rate = 0.5, .weight_decay = 0.25});
                             optimizer.compare_every = every;
                           });
}

TEST_CASE("the buffers of rank 0 are those of all ranks") {
  const auto said = threads_as_ranks::run(3, [](const State& state) {
    const Group<Cpu> group(state);
    auto net = replicas(nn::Sequential{nn::Linear(2, 3), nn::BatchNorm(3)}, group);
    const Spread x = group.shard<0>(suite::term<float>(0, rows) / 10);
    static_cast<void>(net(x));
    const Tensor<float> own = layer<1>(net.module()).running_mean;
    const Spread first = group.replicate(own);
    net.eval();
    const Spread y = net(group.replicate(suite::term<float>(1, rows) / 10)).value();
    suite::expect_bits(layer<1>(net.module()).running_mean, local(first), "the running mean");
    suite::expect_bits(local(y), local(group.replicate(local(y))), "the output");
    suite::expect((group.rank() == Rank{0}) == array_equal(own, local(first)).item(), "each learned from its rows");
  });
  for (const std::string& text : said) CHECK(text == "");
}
