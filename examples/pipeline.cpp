// SPDX-License-Identifier: Apache-2.0
// Copies that run beside computing: batches on their way to the GPU while it works on the one before, results on their way
// back meanwhile. Where there is no GPU, pinned memory takes its place, and the same program runs.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

namespace {

constexpr std::int64_t batches = 6;
constexpr std::int64_t rows = 64;

/// What the host makes, pinned so that it can be copied beside other work.
Tensor<float, Pinned> make_batch(std::int64_t number) {
  // [fill]
  Tensor<float, Pinned> batch = empty<float>({rows, 32}, pinned);
  {
    auto w = batch.write();
    for (std::int64_t i = 0; i < w.size(); ++i) w.data()[i] = static_cast<float>((number + i) % 7);
  }
  // [fill-end]
  return batch;
}

// [device]
/// `to_async` copies between GPUs and pinned memory; the CPU's own place is `Pinned` here, which computes alike.
template <Device D>
using Place = std::conditional_t<HostDevice<D>, Pinned, D>;
// [device-end]

std::vector<float> one_after_another(const TensorLike auto& weight) {
  const auto device = weight.device();
  std::vector<float> results;
  // [sequential]
  for (std::int64_t i = 0; i < batches; ++i) {
    const Tensor x = make_batch(i).to(device);
    const Tensor y = tanh(matmul(x, weight));
    results.push_back(sum(y).to(cpu).item());  // waits for the copy and the work
  }
  // [sequential-end]
  return results;
}

std::vector<float> overlapped(const TensorLike auto& weight) {
  const auto device = weight.device();
  std::vector<float> results;
  // [pipeline]
  std::optional<Pending<Tensor<float, Pinned>>> last;
  Pending next = make_batch(0).to_async(device);
  for (std::int64_t i = 0; i < batches; ++i) {
    const Tensor x = std::move(next).wait();                         // the GPU waits, the host goes on
    if (i + 1 < batches) next = make_batch(i + 1).to_async(device);  // on its way while ...
    const Tensor total = sum(tanh(matmul(x, weight)));               // ... this is computed
    if (last) results.push_back(std::move(*last).wait().item());     // of the batch before
    last = total.to_async(pinned);
  }
  results.push_back(std::move(*last).wait().item());
  // [pipeline-end]
  return results;
}

template <Device D>
bool run(D device) {
  std::printf("device: %s\n", device_name(device).c_str());
  Generator generator(1);
  const Tensor weight = randn<float>({32, 16}, device, generator);
  const std::vector<float> first = one_after_another(weight);
  const std::vector<float> second = overlapped(weight);
  for (std::size_t i = 0; i < second.size(); ++i) std::printf("batch %zu: %g\n", i, static_cast<double>(second[i]));

  // [parts]
  Tensor window = zeros<float>({3, rows, 32}, device);     // the last three batches, on the device
  for (std::int64_t i = 0; i < batches; ++i) copy(make_batch(i), window.at(i % 3, all));
  // [parts-end]
  const float seen = window.to(cpu)(2, 0, 1);

  // [memory]
  set_memory_limit<Pinned>(std::size_t{256} << 20);  // pinned memory is taken from the whole machine
  const MemoryStats stats = memory_stats<Pinned>();
  std::printf("pinned memory: %zu bytes in use, %zu kept for the next copies\n", stats.in_use, stats.cached);
  // [memory-end]
  return first == second && seen == 6.f;
}

}  // namespace

int main() {
  const bool right = with_device(try_gpu<0>(), [](auto device) { return run(Place<decltype(device)>{}); });
  if (!right) std::printf("the two ways gave different results\n");
  return right ? 0 : 1;
}
