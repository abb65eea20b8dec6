// SPDX-License-Identifier: Apache-2.0
// A small convolutional network learns 1,797 handwritten digits; written once, for any device. The first half of the
// rows trains, the other half, by other writers, tests. Then: what it costs to look at the loss of every step. Fails
// when fewer than 96 % of the test digits are recognised. An argument says where the picture of the losses goes.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include <situ/csv.hpp>
#include <situ/data/loader.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>
#include <situ/train.hpp>

using namespace situ;

namespace {


/// Images of shape (rows, 1, 8, 8) with values in [0, 1], and their labels of shape (rows,).
struct Digits {
  Tensor<float> images;
  Tensor<std::int64_t> labels;

  Digits part(IndexRange rows) const { return {images(rows, all, all, all), labels(rows)}; }
};

/// Reads rows of 64 pixel values from 0 to 16 and a label, separated by commas.
Digits read_digits(const std::string& path) {
  const Tensor table = load_csv<float>(path);
  return {reshape(table(all, range(0, 64)) / 16, {-1, 1, 8, 8}), cast<std::int64_t>(table(all, 64))};
}

// [data]
/// Digits with a little noise, another in every epoch; `i`, the epoch and the seed decide which, not the worker.
struct Noisy {
  Digits digits;

  std::int64_t size() const { return digits.labels.size(); }

  auto get(std::int64_t i, Generator& generator) const {
    return std::tuple(digits.images(i, all, all, all) + 0.1f * randn<float>({1, 8, 8}, generator), digits.labels(i));
  }
};
// [data-end]

// [net]
/// Two convolutions and a linear layer on device `D`.
template <Device D>
auto make_net(Generator& generator, D device) {
  return nn::Sequential{nn::Conv2d(1, 32, 3, {.padding = 1}, device, generator),
                        nn::ReLU(),
                        nn::Conv2d(32, 64, 3, {.padding = 1}, device, generator),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Flatten(),
                        nn::Dropout(0.5),
                        nn::Linear(64 * 4 * 4, 10, device, generator)};
}
// [net-end]

/// Mean loss, and the part of the digits that is recognised; both on the device.
auto test(const auto& net, const TensorLike auto& images, const TensorLike auto& labels) {
  const Tensor scores = net(images).value();
  return std::tuple(cross_entropy(scores, labels), mean(cast<float>(argmax(scores, 1) == labels)));
}

/// The losses of a training, of every step and at the end of every epoch, and what came of it.
struct Result {
  Tensor<float> training, held_out;
  double accuracy = 0;
};

/// Trains for some epochs on one half and tests on the other.
template <Device D>
Result train(const Digits& training, const Digits& other, std::int64_t epochs, D device) {
  const Tensor images = other.images.to(device);
  const Tensor labels = other.labels.to(device);
  // [train]
  Generator generator(1);
  set_seed(1);  // of the dropout
  nn::Sequential net = make_net(generator, device);
  optim::AdamW optimizer(net, {.weight_decay = 0.05});
  const DataLoader loader(Noisy{training}, {.batch_size = 32, .shuffle = true, .seed = 1}, device);
  const optim::CosineRate rate{.from = 1e-2, .steps = epochs * loader.batch_count()};
  DeviceLog<float, D> losses, held_out;  // on the device: no step waits to be read
  ProgressBar bar(epochs * loader.dataset().size(), {.label = "training", .unit = "images", .output = stdout});
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (auto& [x, y] : loader.epoch(epoch)) {
      const Variable loss = cross_entropy(net(x), y);
      optimizer.learning_rate = rate(optimizer.step_count());
      optimizer.step(net, backward(loss));
      losses.append(loss.value());
      bar.advance(y.size(), "loss", loss);  // reads the loss when the line is drawn, ten times a second
    }
    net.eval();  // no dropout
    held_out.append(std::get<0>(test(constant(net), images, labels)));
    net.train();
  }
  bar.finish();
  net.eval();
  // [train-end]
  const float accuracy = std::get<1>(test(constant(net), images, labels)).to(cpu).item();
  std::printf("%.2f %% of %d test digits recognised\n", 100 * static_cast<double>(accuracy),
              static_cast<int>(labels.size()));
  return {losses.flush(), held_out.flush(), static_cast<double>(accuracy)};
}

enum class Reading { none, every_step, log };

/// Microseconds for a step of the same training, with the losses read in one of three ways.
template <Device D>
double step_time(const Digits& digits, Reading reading, D device) {
  constexpr std::int64_t steps = 100, batch = 32;
  Generator generator(1);
  nn::Sequential net = make_net(generator, device);
  optim::AdamW optimizer(net);
  const Tensor x = digits.images(range(0, batch), all, all, all).to(device);
  const Tensor y = digits.labels(range(0, batch)).to(device);
  DeviceLog<float, D> log;
  std::vector<float> losses;
  std::chrono::steady_clock::time_point begin;
  for (std::int64_t step = -5; step < steps; ++step) {
    if (step == 0) {
      synchronize(device);
      begin = std::chrono::steady_clock::now();
    }
    const Variable loss = cross_entropy(net(x), y);
    optimizer.step(net, backward(loss));
    if (reading == Reading::every_step) losses.push_back(loss.value().to(cpu).item());
    if (reading == Reading::log) log.append(loss.value());
  }
  if (reading == Reading::log) {
    const Tensor all_losses = log.flush();
    losses.assign(all_losses.data(), all_losses.data() + all_losses.size());
  }
  synchronize(device);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / steps * 1e6;
}

/// The shortest of five times for each way, measured in turn: what else runs on the machine only makes them longer.
template <Device D>
void compare_readings(const Digits& digits, D device) {
  double shortest[3] = {1e30, 1e30, 1e30};
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 3; ++i) shortest[i] = std::min(shortest[i], step_time(digits, static_cast<Reading>(i), device));
  }
  std::printf("\none step of 32 images on %s:\n", device_name(device).c_str());
  static constexpr const char* names[] = {"no loss is read", "read at every step", "DeviceLog, read at the end"};
  for (int i = 0; i < 3; ++i) {
    std::printf("  %-27s %7.0f us  %.2f\n", names[i], shortest[i], shortest[i] / shortest[0]);
  }
}

template <Device D>
double run(const Digits& digits, const std::filesystem::path& picture, D device) {
  std::printf("device: %s\n", device_name(device).c_str());
  const std::int64_t half = digits.labels.size() / 2;
  const Digits training = digits.part(range(0, half));
  const Result result = train(training, digits.part(range(half, IndexRange::none)), 20, device);
  // [curve]
  TrainingCurve curve({.title = "1,797 digits", .y_label = "mean cross-entropy", .logarithmic = true});
  const std::int64_t steps_per_epoch = result.training.size() / result.held_out.size();
  curve.add("training, a step's batch", result.training);
  curve.add("held-out half", result.held_out, {.every = steps_per_epoch});
  curve.save(picture);
  // [curve-end]
  std::printf("losses: %s\n", picture.string().c_str());
  compare_readings(training, device);
  return result.accuracy;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::filesystem::path picture =
        argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "situ_train_digits.svg";
    const Digits digits = read_digits("data/digits.csv");
    const double accuracy = with_device(try_gpu<0>(), [&](auto device) { return run(digits, picture, device); });
    return accuracy >= 0.96 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_digits: %s\n", error.what());
    return 1;
  }
}
