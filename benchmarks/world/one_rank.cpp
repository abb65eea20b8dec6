// SPDX-License-Identifier: Apache-2.0
// What a World costs where it is not needed: the same steps of training, of values that are spread over one rank and of those
// that are not; and every collective, of one rank.
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

#include <situ/parallel.hpp>
#include <situ/world.hpp>

#include "cases.hpp"
#include "timing.hpp"

using namespace situ;

namespace {

constexpr int steps = 500;

auto make_net(std::int64_t width) {
  Generator generator(1);
  return nn::Sequential{nn::Linear(64, width, generator), nn::ReLU(), nn::Linear(width, 10, generator)};
}
struct Batch {
  Tensor<float> x = rand<float>({60, 64});
  Tensor<std::int64_t> y = zeros<std::int64_t>({60});
};

/// A step of one process that knows of no others.
template <class Net, class Optimizer>
float step_alone(Net& net, Optimizer& optimizer, const Batch& batch) {
  const Variable loss = cross_entropy(net(batch.x), batch.y);
  optimizer.step(net, backward(loss));
  return loss.value().item();
}
/// The same of a rank.
template <class Net, class Optimizer>
float step_of_rank(const Group<Cpu>& group, Net& net, Optimizer& optimizer, const Batch& batch) {
  const SpreadVariable loss = cross_entropy(net(group.as<Sharded<0>>(batch.x)), group.as<Sharded<0>>(batch.y));
  optimizer.step(net, all_reduce(backward(loss)));
  return local(all_reduce(loss.value())).item();
}

}  // namespace

int one_rank(int argc, char** argv) {
  const timing::Clock::time_point begin = timing::Clock::now();
  World world(argc, argv);
  const double start = timing::microseconds_since(begin);
  const Group group = world.on(cpu);
  if (world.size() != 1) return 2;
  std::printf("the World begins in %.1f ms\n", start / 1000);
  const Batch batch;
  for (const std::int64_t width : {32, 512}) {
    auto net = make_net(width);
    optim::Adam optimizer(net, {.learning_rate = 1e-3});
    Replicas<decltype(make_net(width)), Ranks<Cpu>> replicas(group.mesh(), std::tuple(make_net(width)));
    auto spread_optimizer = situ::spread_optimizer<optim::Adam>(replicas, {.learning_rate = 1e-3});
    const std::vector<double> took = timing::medians_by_turns(
        steps, [&] { static_cast<void>(step_alone(net, optimizer, batch)); },
        [&] { static_cast<void>(step_of_rank(group, replicas, spread_optimizer, batch)); });
    std::printf("a step, 64-%lld-10, 60 rows: %.1f us without a World, %.1f us with one rank\n",
                static_cast<long long>(width), took[0], took[1]);
  }
  const Tensor<float> x = ones<float>({1 << 20});
  const Spread term = group.as<Partial<>>(x);
  const Spread rows = group.as<Sharded<0>>(x);
  const std::vector<double> took = timing::medians_by_turns(
      2000, [] {}, [&] { static_cast<void>(all_reduce(term)); }, [&] { static_cast<void>(reduce_scatter<0>(term)); },
      [&] { static_cast<void>(all_gather(rows)); }, [&] { static_cast<void>(group.replicate(x)); },
      [&] { static_cast<void>(group.as<Sharded<0>>(x)); }, [&] { static_cast<void>(group.shard<0>(x)); },
      [&] { static_cast<void>(group.gather(rows)); }, [&] { static_cast<void>(group.all_reduce_async(term).wait()); },
      [&] { group.barrier(); });
  const char* const names[] = {"nothing",     "all_reduce", "reduce_scatter", "all_gather",       "replicate",
                               "as<Sharded>", "shard",      "gather",         "all_reduce_async", "barrier"};
  for (std::size_t i = 0; i < took.size(); ++i) std::printf("%s%s %.2f us", i == 0 ? "" : ", ", names[i], took[i]);
  std::printf("\n");
  return 0;
}

int no_world() {
  const Batch batch;
  for (const std::int64_t width : {32, 512}) {
    auto net = make_net(width);
    optim::Adam optimizer(net, {.learning_rate = 1e-3});
    std::vector<double> times;
    for (int i = 0; i < steps; ++i) {
      const timing::Clock::time_point begin = timing::Clock::now();
      static_cast<void>(step_alone(net, optimizer, batch));
      times.push_back(timing::microseconds_since(begin));
    }
    std::printf("a step, 64-%lld-10, 60 rows: %.1f us in a process without a World\n", static_cast<long long>(width),
                timing::median(times));
  }
  return 0;
}
