// SPDX-License-Identifier: Apache-2.0
// Gradient descent whose step is captured once and then launched as a whole: on a GPU, or emulated where there is none.
#include <cstdio>

#include <situ/graph.hpp>
#include <situ/situ.hpp>

using namespace situ;

// [step]
/// One step of gradient descent for the mean squared error of y = x w.
struct Step {
  float rate;

  auto operator()(const TensorLike auto& w, const TensorLike auto& x, const TensorLike auto& y) const {
    Tensor error = matmul(x, w) - y;
    return eval(w - rate * 2.f / static_cast<float>(x.extent(0)) * matmul(transpose(x), error));
  }
};
// [step-end]

static Tensor<float> train() {
  Generator generator(7);
  // [train]
  Tensor truth = tensor({{2.f}, {-3.4f}, {0.5f}}).to<Cuda<0>>();
  Tensor w = zeros<float>({3, 1}, gpu<0>);
  Tensor x = randn<float>({64, 3}, gpu<0>, generator);

  auto step = capture<Cuda<0>>(Step{0.1f}, w, x, matmul(x, truth));  // runs it once, records it, changes nothing
  for (int i = 0; i < 60; ++i) {
    w = step(w, x, matmul(x, truth));              // one launch; w is a value as ever
    x = randn<float>({64, 3}, gpu<0>, generator);  // beside the graph
  }
  // [train-end]
  std::printf("%zu nodes, %zu bytes of its own\n", step.nodes(), step.memory());
  return w.to<Cpu>();
}

int main() {
  if (!is_available<Cuda<0>>()) {
    std::puts("no GPU");
    return 0;
  }
  const Tensor<float> w = train();
  print(w);
  const Tensor<float> expected = tensor({{2.f}, {-3.4f}, {0.5f}});
  return all(abs(w - expected) < 1e-3f).item() ? 0 : 1;
}
