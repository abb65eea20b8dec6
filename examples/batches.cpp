// SPDX-License-Identifier: Apache-2.0
// Linear regression by stochastic gradient descent, the first model of "Dive into Deep Learning", with batches that worker
// threads make, and copy to the GPU, while it computes. Fails when it does not find the weights that made the data.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <tuple>

#include <situ/data/loader.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {


// [data]
/// Measurements of y = 2 a - 3.4 b + 4.2 that are a little off each time they are read. A sample is made when a worker
/// asks for it; its noise is a function of the seed, the epoch and `i`, whichever worker that is.
struct Measurements {
  Tensor<float> points;  // (n, 2)

  std::int64_t size() const { return points.extent(0); }

  auto get(std::int64_t i, Generator& generator) const {
    const Tensor noise = randn<float>({}, generator) * 0.01f;
    return std::tuple(points(i, all), 2.f * points(i, 0) - 3.4f * points(i, 1) + 4.2f + noise);
  }
};
// [data-end]

template <Device D>
bool fit(D device) {
  std::printf("device: %s\n", device_name(device).c_str());
  Generator generator(1);
  const Measurements data{randn<float>({1000, 2}, generator)};
  Tensor w = zeros<float>({2}, device);
  Tensor b = zeros<float>({}, device);
  // [loop]
  const DataLoader loader(data, {.batch_size = 32, .shuffle = true, .seed = 1, .workers = 2}, device);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    Tensor loss = zeros<float>({}, device);
    for (auto& [x, y] : loader.epoch(epoch)) {  // on the device; the next batches are being made meanwhile
      const Tensor error = matmul(x, w) + b - y;
      w -= 0.06f * matmul(error, x) / static_cast<float>(y.size());
      b -= 0.06f * mean(error);
      loss += sum(square(error)) / 2.f;
    }
    std::printf("epoch %d: loss %.5f\n", static_cast<int>(epoch),
                static_cast<double>(loss.to(cpu).item()) / static_cast<double>(loader.dataset().size()));
  }
  // [loop-end]
  const Tensor found = w.to(cpu);
  const float bias = b.to(cpu).item();
  std::printf("y = %.2f a %+.2f b %+.2f\n", static_cast<double>(found(0)), static_cast<double>(found(1)),
              static_cast<double>(bias));
  return std::abs(found(0) - 2.f) < 0.02f && std::abs(found(1) + 3.4f) < 0.02f && std::abs(bias - 4.2f) < 0.02f;
}

}  // namespace

int main() {
  try {
    return with_device(try_gpu<0>(), [](auto device) { return fit(device); }) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batches: %s\n", error.what());
    return 1;
  }
}
