// SPDX-License-Identifier: Apache-2.0
// One model on two devices: each has the parameters and half of every batch; the gradients are averaged. On two GPUs
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

/// The gradient of the mean squared error.
static auto gradient(const TensorLike auto& x, const TensorLike auto& y, const TensorLike auto& w) {
  return eval(matmul(transpose(x), matmul(x, w) - y) * (2.f / static_cast<float>(x.extent(0))));
}

template <Device First, Device Second>
static Tensor<float> train() {
  Generator generator(7);
  // [train]
  auto [w0, w1] = broadcast<First, Second>(zeros<float>({3, 1}));
  for (int step = 0; step < 60; ++step) {
    const Batch batch = make_batch(generator);
    const auto [x0, x1] = scatter<First, Second>(batch.x);
    const auto [y0, y1] = scatter<First, Second>(batch.y);
    const auto [g0, g1] = all_reduce<ReduceOp::mean>(gradient(x0, y0, w0), gradient(x1, y1, w1));
    w0 -= 0.1f * g0;
    w1 -= 0.1f * g1;  // the same bits as w0
  }
  // [train-end]
  const bool same = all(w0 == w1.to(First{})).to(cpu).item();
  std::printf("on %s and %s; both have the same parameters: %s\n", First::name().c_str(), Second::name().c_str(),
              same ? "yes" : "no");
  return same ? w0.to(cpu) : zeros<float>({3, 1});
}

int main() {
  const Tensor<float> w = is_available<Cuda<1>>() ? train<Cuda<0>, Cuda<1>>() : train<Cpu, Cpu>();
  print(w);
  return std::abs(w(0, 0) - 2.f) < 1e-3f && std::abs(w(1, 0) + 3.4f) < 1e-3f && std::abs(w(2, 0) - 0.5f) < 1e-3f ? 0 : 1;
}
