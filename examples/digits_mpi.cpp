// SPDX-License-Identifier: Apache-2.0
// Handwritten digits, learned by several processes: `mpirun -n 4 digits_mpi`. Each rank has the network and its rows of every
// batch, and what one process computes alone is what all compute together, but for rounding. Rank 0 trains alone as well, and
// fails when the losses differ; with one rank it says what the World costs. Then a checkpoint, written by all, comes back in another
// layout. Without MPI it is one rank.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <situ/csv.hpp>
#include <situ/data/loader.hpp>
#include <situ/parallel.hpp>
#include <situ/spread_io.hpp>
#include <situ/train.hpp>
#include <situ/world.hpp>

using namespace situ;

namespace {

struct Digits {
  Tensor<float> images;          // (rows, 64), in [0, 1]
  Tensor<std::int64_t> labels;   // (rows,)
};

/// Reads rows of 64 pixel values from 0 to 16 and a label, separated by commas.
Digits read_digits(const std::string& path) {
  const Tensor table = load_csv<float>(path);
  return {table(all, range(0, 64)) / 16, cast<std::int64_t>(table(all, 64))};
}

auto make_net() {
  Generator generator(1);
  return nn::Sequential{nn::Linear(64, 32, generator), nn::ReLU(), nn::Linear(32, 10, generator)};
}
constexpr std::int64_t epochs = 3;
const DataLoaderOptions batches{.batch_size = 60, .shuffle = true, .seed = 1, .workers = 0};

/// The losses of every step, by one process that knows of no others.
std::vector<float> train_alone(const Digits& digits) {
  auto net = make_net();
  optim::Adam optimizer(net, {.learning_rate = 1e-2});
  const DataLoader loader(TensorDataset(digits.images, digits.labels), batches);
  std::vector<float> losses;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (auto& [x, y] : loader.epoch(epoch)) {
      const Variable loss = cross_entropy(net(x), y);
      optimizer.step(net, backward(loss));
      losses.push_back(loss.value().item());
    }
  }
  return losses;
}

/// The same by all ranks.
std::vector<float> train_together(const World& world, const Digits& digits) {
  // [train]
  const Group group = world.on(cpu);
  DataLoaderOptions share = batches;  // of every batch, this rank's rows
  share.part = group.rank().number;
  share.parts = group.size();
  const DataLoader loader(TensorDataset(digits.images, digits.labels), share);
  auto net = replicas(make_net(), group);  // Replicas<..., Ranks<Cpu>>: all begin as rank 0
  auto optimizer = spread_optimizer<optim::Adam>(net, {.learning_rate = 1e-2});
  ProgressBar bar(epochs * loader.batch_count(), {.unit = "batches", .shown = world.rank() == Rank{0}});
  std::vector<float> losses;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (auto& [x, y] : loader.epoch(epoch)) {
      const SpreadVariable loss = cross_entropy(net(group.as<Sharded<0>>(x)), group.as<Sharded<0>>(y));  // Partial<>
      optimizer.step(net, all_reduce(backward(loss)));
      losses.push_back(local(all_reduce(loss.value())).item());
      bar.advance(1, "loss", losses.back());
    }
  }
  bar.finish();
  // [train-end]
  return losses;
}

/// A value of which each rank has some of the rows, into a checkpoint and back as columns.
bool checkpoint(const World& world) {
  const Group group = world.on(cpu);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("situ_digits_mpi_" + std::to_string(world.size()));
  world.only(Rank{0}, [&] { std::filesystem::create_directory(folder); });
  world.barrier();
  const Tensor table = reshape(arange<float>(35), {5, 7});
  save(folder / "model.safetensors.index.json", "table", group.shard<0>(table), "ranks", world.size());
  Spread columns = group.shard<1>(zeros<float>({5, 7}));
  int ranks = 0;
  load(folder / "model.safetensors.index.json", "table", columns, "ranks", ranks);
  const std::optional<Tensor<float>> loaded = group.gather(columns);
  world.barrier();
  world.only(Rank{0}, [&] { std::filesystem::remove_all(folder); });
  return ranks == world.size() && (!loaded || max(abs(*loaded - table)).item() == 0);
}

double milliseconds(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int run(const World& world, const char* picture) {
  const Digits digits = read_digits("data/digits.csv");
  auto begin = std::chrono::steady_clock::now();
  const std::vector<float> together = train_together(world, digits);
  const double together_ms = milliseconds(begin);
  const auto result = world.only(Rank{0}, [&] {
    begin = std::chrono::steady_clock::now();
    const std::vector<float> alone = train_alone(digits);
    const double alone_ms = milliseconds(begin);
    float largest = 0;
    for (std::size_t i = 0; i < alone.size(); ++i) largest = std::max(largest, std::abs(alone[i] - together[i]));
    std::printf("%d rank%s: %zu steps, loss %.4f to %.4f; the losses of one process differ by at most %.1e\n", world.size(),
                world.size() == 1 ? "" : "s", together.size(), static_cast<double>(together.front()),
                static_cast<double>(together.back()), static_cast<double>(largest));
    std::printf("%.0f ms, and alone %.0f ms\n", together_ms, alone_ms);
    if (picture != nullptr) {
      TrainingCurve curve({.title = "Digits", .logarithmic = true});
      curve.add("one process", from_span<float>(alone));
      curve.add(std::to_string(world.size()) + " ranks", from_span<float>(together));
      curve.save(picture);
    }
    return alone.size() == together.size() && largest < 1e-3f && together.back() < 0.5f;
  });
  return checkpoint(world) && result.value_or(true) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  World world(argc, argv);
  try {
    return run(world, argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& error) {  // within the scope of the World, so that its text is seen
    std::fprintf(stderr, "digits_mpi, rank %d: %s\n", world.rank().number, error.what());
    throw;
  }
}
