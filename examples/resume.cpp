// SPDX-License-Identifier: Apache-2.0
// A training run that is interrupted: what it consists of goes into one file, and another run goes on from there, on
// the same device with the same bits, on another one within rounding.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include <situ/io/checkpoint.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

/// A network that learns y = sin(3 u) v, and all that its next step depends on.
template <Device D>
struct Training {
  Generator generator{1};
  nn::Sequential<nn::Linear<float, D>, nn::Tanh, nn::Linear<float, D>> net{
      nn::Linear(2, 32, D{}, generator), nn::Tanh(), nn::Linear(32, 1, D{}, generator)};
  optim::Adam<float, D> optimizer{net, {.learning_rate = 0.01}};

  // [save]
  void save(const std::filesystem::path& path) const {
    situ::save(path, "net", net, "optimizer", optimizer, "generator", generator);
  }
  void load(const std::filesystem::path& path) {
    situ::load(path, "net", net, "optimizer", optimizer, "generator", generator);
  }
  // [save-end]

  /// The loss of the last of some steps, each on a batch of its own.
  float steps(int count) {
    float last = 0;
    for (int step = 0; step < count; ++step) {
      const Tensor<float, D> x = 2 * rand<float>({64, 2}, D{}, generator) - 1;
      const Tensor<float, D> u = x(all, range(0, 1)), v = x(all, range(1, 2));
      const Variable<float, D> loss = mse_loss(net(x), Tensor<float, D>(sin(3 * u) * v));
      optimizer.step(net, backward(loss));
      if (step + 1 == count) last = loss.value().to(cpu).item();
    }
    return last;
  }
};

/// The largest difference between the parameters of two files.
float difference(const std::string& a, const std::string& b) {
  // [tensors]
  const NamedTensors<> first = load(a), second = load(b);
  float largest = 0;
  for (const auto& [name, tensor] : first) {
    if (!name.starts_with("net.")) continue;
    const Tensor x = tensor.get<float>(), y = second.at(name).get<float>();
    largest = std::max(largest, max(abs(x - y)).item());
  }
  // [tensors-end]
  return largest;
}

int run(const std::string& folder) {
  const std::string middle = folder + "/middle.safetensors", end = folder + "/end.safetensors";

  Training<Cpu> first;
  std::printf("100 steps on cpu, then a checkpoint: loss %.6f\n", static_cast<double>(first.steps(100)));
  first.save(middle);
  const float straight = first.steps(100);
  first.save(end);
  std::printf("100 more:                            loss %.6f\n", static_cast<double>(straight));

  Training<Cpu> second;
  second.load(middle);
  const float resumed = second.steps(100);
  second.save(folder + "/resumed.safetensors");
  const float same = difference(end, folder + "/resumed.safetensors");
  std::printf("100 from the checkpoint on cpu:      loss %.6f, parameters differ by %g\n", static_cast<double>(resumed),
              static_cast<double>(same));

  const float near = with_device(try_gpu<0>(), [&]<Device D>(D device) {
    Training<D> third;
    third.load(middle);
    const float loss = third.steps(100);
    third.save(folder + "/moved.safetensors");
    const float rounding = difference(end, folder + "/moved.safetensors");
    std::printf("100 from the checkpoint on %s: loss %.6f, parameters differ by %g\n", device_name(device).c_str(),
                static_cast<double>(loss), static_cast<double>(rounding));
    return rounding;
  });
  return resumed == straight && same == 0 && near < 1e-2f ? 0 : 1;
}

}  // namespace

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "situ_resume";
  try {
    std::filesystem::create_directories(folder);
    const int result = run(folder.string());
    std::filesystem::remove_all(folder);
    return result;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "resume: %s\n", error.what());
    return 1;
  }
}
