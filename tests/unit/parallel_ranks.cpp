// SPDX-License-Identifier: Apache-2.0
// labels: gradients
// Networks and optimisers over ranks, which are threads here, bit for bit as in one process with as many devices.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/parallel.hpp>
#include <situ/world.hpp>

#include "../world/suite.hpp"
#include "../world/thread_job.hpp"

namespace {

using namespace situ;
using State = std::shared_ptr<internal::world::GroupState>;

/// The parts of all results, in order: of one process those of all devices, of a rank its own.
using Parts = std::vector<std::vector<Tensor<float>>>;

/// The same training over `where`, devices or a group. Ranks begin with networks of their own, but the first as one process.
template <class... Where>
struct Training {
  std::tuple<Where...> where;
  std::uint64_t rank;
  Parts results{};

  template <class S>
  void keep(const S& spread) {
    std::apply([this](const auto&... part) { results.push_back({Tensor<float>(part)...}); }, eval(spread).parts());
  }
  template <class M>
  void keep_parameters(const M& net) {
    for_each_spread_parameter(net, [this](const std::string&, const auto& parameter) { this->keep(parameter.value()); });
  }
  template <class X>
  [[nodiscard]] auto rows(const X& x) const {
    return std::apply([&x](const auto&... each) { return shard<0>(x, each...); }, where);
  }
  template <class F>
  [[nodiscard]] auto with(const F& f) const {
    return std::apply(f, where);
  }

  /// The order in which ranks go back is that of heights.
  template <class V>
  void expect_equal_heights(const V& v) const {
    if constexpr (internal::spread_mesh_t<V>::of_ranks) {
      const auto& group = std::get<0>(where);
      const Tensor<std::int64_t> own = full<std::int64_t>({}, std::get<0>(v.parts()).node().get()->height());
      const Spread highest = all_reduce(group.template as<Partial<ReduceOp::max>>(own));
      suite::expect(local(highest).item() == own.item(), "nodes of one height");
    }
  }

  [[nodiscard]] auto network() const {
    Generator generator(5 + rank);
    nn::Sequential net{nn::Linear(3, 5, generator), nn::Tanh(), nn::BatchNorm(5), nn::Linear(5, 2, generator)};
    layer<2>(net).running_mean += static_cast<float>(rank);
    return net;
  }

  void replicated() {
    auto net = with([this](const auto&... each) { return replicas(network(), each...); });
    auto bucketed = with([this](const auto&... each) { return replicas(network(), each...); });
    auto cut = with([this](const auto&... each) { return replicas(network(), each...); });
    auto state = spread_optimizer<optim::AdamW>(net, {.learning_rate = 0.05});
    auto bucketed_state = spread_optimizer<optim::AdamW>(bucketed, {.learning_rate = 0.05});
    auto cut_state = sharded_optimizer<optim::AdamW>(cut, {.learning_rate = 0.05});
    keep_parameters(net);
    for (const std::int64_t count : {6, 7, 11}) {
      const Spread x = rows(suite::term<float>(0, {count, 3}) / 100);
      const Spread y = rows(suite::term<float>(1, {count, 2}) / 100);
      const auto loss_of = [&](auto& network) {
        const SpreadVariable error = network(x) - y;
        const SpreadVariable loss = mean(square(error));
        static_assert(std::is_same_v<layout_t<decltype(loss)>, Partial<>>);
        return loss;
      };
      const SpreadVariable loss = loss_of(net);
      keep(all_reduce(loss.value()));
      ReducedGradients gradients = all_reduce(backward(loss));
      keep(optim::clip_by_norm(gradients, net, 0.5));
      state.step(net, gradients);
      bucketed_state.step(bucketed, backward_and_all_reduce(loss_of(bucketed), {.bytes = 64}));
      ScatteredGradients pieces = reduce_scatter(backward(loss_of(cut)));
      keep(optim::clip_by_norm(pieces, cut, 0.5));
      cut_state.step(cut, pieces);
    }
    keep_parameters(net);
    keep_parameters(bucketed);
    keep_parameters(cut);
    std::apply([this](const auto&... each) { results.push_back({layer<2>(each).running_mean...}); }, net.replicas());
  }

  /// With fewer words than three devices, and what only the first adds: the others must go the same way back.
  void cut_layers() {
    Generator generator(7);
    const nn::Embedding embedding(2, 3, generator);
    const nn::Linear up(3, 5, generator);
    nn::Linear down(5, 3, generator);
    down.bias.update([this](auto& value) { value += static_cast<float>(rank); });  // that of rank 0 is everybody's
    auto net = with([&](const auto&... each) {
      return std::tuple(nn::sharded_embedding(embedding, each...), nn::column_parallel(up, each...),
                        nn::row_parallel(down, each...), SpreadVariable(replicate(suite::term<float>(2, {3}) / 100, each...)));
    });
    auto state = spread_optimizer<optim::AdamW>(net, {.learning_rate = 0.05});
    const auto& [words, wide, narrow, shift] = net;
    const auto tokens = with([](const auto&... each) {
      return replicate(tensor<std::int64_t>({{0, 1, 1}, {-1, 0, -2}}), each...);
    });
    for (int step = 0; step != 3; ++step) {
      const SpreadVariable hidden = wide.template along<2>(all_reduce(words(tokens)));
      const SpreadVariable y = all_reduce(narrow(tanh(hidden)) + partial(shift));
      expect_equal_heights(y);
      keep(y.value());
      ReducedGradients gradients = all_reduce(backward(mean(y * y)));
      keep(optim::clip_by_norm(gradients, net, 0.5));
      state.step(net, gradients);
    }
    keep_parameters(net);
  }

  void losses_of_replicas() {
    auto parallel = DataParallel(with([this](const auto&... each) { return replicas(network(), each...); }));
    auto optimizers = parallel.replicate(optim::AdamW(network(), {.learning_rate = 0.05}));
    for (const std::int64_t count : {6, 8}) {
      auto [loss, gradients] =
          parallel.backward([](auto& net, const auto& x, const auto& y) { return mse_loss(net(x), y); },
                            suite::term<float>(0, {count, 3}) / 100, suite::term<float>(1, {count, 2}) / 100);
      results.emplace_back(sizeof...(Where), loss);
      parallel.step(optimizers, gradients);
    }
    parallel.for_each([this](auto& net) {
      nn::for_each_parameter(net, [this](const std::string&, const auto& parameter) {
        per_replica.push_back(parameter.value());
      });
    });
    const std::size_t each = per_replica.size() / sizeof...(Where);
    for (std::size_t at = 0; at != each; ++at) {
      results.emplace_back();
      for (std::size_t replica = 0; replica != sizeof...(Where); ++replica)
        results.back().push_back(per_replica[replica * each + at]);
    }
  }
  std::vector<Tensor<float>> per_replica{};

  [[nodiscard]] Parts run() && {
    replicated();
    cut_layers();
    losses_of_replicas();
    return std::move(results);
  }
};

template <class... D>
void compare_with_devices(D... device) {
  const Parts wanted = Training<D...>{{device...}, 0}.run();
  const auto said = threads_as_ranks::run(sizeof...(D), [&wanted](const State& state) {
    const Group<Cpu> group(state);
    const auto rank = static_cast<std::size_t>(group.rank().number);
    const Parts found = Training<Group<Cpu>>{{group}, rank}.run();
    suite::expect(found.size() == wanted.size(), "as many results");
    for (std::size_t at = 0; at != wanted.size(); ++at)
      suite::expect_bits(found[at].at(0), wanted[at].at(rank), "result " + std::to_string(at));
  });
  for (const std::string& text : said) CHECK(text == "");
}

}  // namespace

TEST_CASE("training over ranks is that over as many devices of one process, to the bit") {
  compare_with_devices(cpu, cpu);
  compare_with_devices(cpu, cpu, cpu);
}

TEST_CASE("replicas of ranks that were made unequal are those of rank 0, buffers included") {
  const auto said = threads_as_ranks::run(3, [](const State& state) {
    const Group<Cpu> group(state);
    const auto rank = static_cast<std::uint64_t>(group.rank().number);
    nn::BatchNorm norm(2);
    norm.running_var *= static_cast<float>(rank + 2);
    Generator generator(rank);
    const nn::Sequential own{nn::Linear(3, 2, generator), norm};
    const Tensor<float> before = layer<0>(own).weight.value();
    auto net = replicas(own, group);
    static_assert(std::is_same_v<decltype(net), Replicas<std::remove_const_t<decltype(own)>, Ranks<Cpu>>>);
    Generator first(0);
    suite::expect_bits(layer<0>(net.module()).weight.value(), nn::Linear(3, 2, first).weight.value(), "the weight");
    suite::expect_bits(layer<1>(net.module()).running_var, full<float>({2}, 2.f), "the buffer");
    suite::expect_bits(layer<0>(own).weight.value(), before, "the network that it was made of");
  });
  for (const std::string& text : said) CHECK(text == "");
}

TEST_CASE("a batch that leaves a rank without rows is an error on all") {
  const auto said = threads_as_ranks::run(3, [](const State& state) {
    auto parallel = data_parallel(nn::Linear(3, 1), Group<Cpu>(state));
    CHECK_THROWS_WITH_AS(
        static_cast<void>(parallel.backward([](auto& net, const auto& x) { return mean(net(x)); }, ones<float>({2, 3}))),
        "DataParallel: the batch has 2 rows for 3 ranks; every rank must have one", ShapeError);
  });
  for (const std::string& text : said) CHECK(text == "");
}
