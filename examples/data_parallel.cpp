// SPDX-License-Identifier: Apache-2.0
// One model on two devices: each has the parameters and half of every batch; the gradients are added up. On two GPUs
// where there are two, else on the CPU twice: the same program either way.
#include <cmath>
#include <cstdio>

#include <situ/distributed.hpp>

using namespace situ;

/// What the model is to find: y = x w, with w = (2, -3.4, 0.5).
struct Batch {
  Tensor<float, Pinned> x, y;
};
static Batch make_batch(Generator& generator) {
  const Tensor<float> x = randn<float>({64, 3}, cpu, generator);
  const Tensor<float> y = matmul(x, tensor({{2.f}, {-3.4f}, {0.5f}}));
  return {x.to<Pinned>(), y.to<Pinned>()};
}

template <Device First, Device Second>
static Tensor<float> train() {
  Generator generator(7);
  // [train]
  Spread w = replicate(zeros<float>({3}), First{}, Second{});       // the parameters, on both
  for (int step = 0; step < 60; ++step) {
    const Batch batch = make_batch(generator);
    const Spread x = shard<0>(batch.x, First{}, Second{});          // half of the rows on each
    const Spread y = shard<0>(batch.y, First{}, Second{});
    const Spread error = sum<1, keepdims>(x * w) - y;               // Sharded<0>, as the rows are
    const Spread pending = sum<0>(x * error) * (2.f / static_cast<float>(x.extent(0)));
    w -= 0.1f * all_reduce(pending);                                // without all_reduce it does not compile
  }
  // [train-end]
  const auto [w0, w1] = local(w);
  const bool same = all(w0 == w1.to(First{})).to(cpu).item();
  std::printf("on %s and %s; both have the same parameters: %s\n", First::name().c_str(), Second::name().c_str(),
              same ? "yes" : "no");
  return same ? w0.to(cpu) : zeros<float>({3});
}

int main() {
  const Tensor<float> w = is_available<Cuda<1>>() ? train<Cuda<0>, Cuda<1>>() : train<Cpu, Cpu>();
  print(w);
  return std::abs(w(0) - 2.f) < 1e-3f && std::abs(w(1) + 3.4f) < 1e-3f && std::abs(w(2) - 0.5f) < 1e-3f ? 0 : 1;
}
