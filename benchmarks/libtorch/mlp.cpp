// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/mlp.cpp with LibTorch: what its compile time is compared with.
#include <cstdio>

#include <torch/torch.h>

struct MaxoutImpl : torch::nn::Module {
  MaxoutImpl(std::int64_t in, std::int64_t features, std::int64_t pieces)
      : pieces(register_module("pieces", torch::nn::Linear(in, features * pieces))), features(features) {}

  torch::Tensor forward(const torch::Tensor& x) { return pieces(x).reshape({x.size(0), features, -1}).amax(2); }

  torch::nn::Linear pieces;
  std::int64_t features;
};
TORCH_MODULE(Maxout);

torch::Tensor focal_loss(const torch::Tensor& scores, const torch::Tensor& classes, float gamma) {
  const torch::Tensor margin = scores * classes;
  return (torch::pow(torch::sigmoid(-margin), gamma) * torch::nn::functional::softplus(-margin)).mean();
}

torch::Tensor classes_of(const torch::Tensor& points) {
  return 1 - 2 * (points.square().sum(1) > 0.6f).to(torch::kFloat);
}

int main() {
  torch::manual_seed(1);
  const torch::Tensor train = torch::randn({256, 2}), test = torch::randn({256, 2});
  const torch::Tensor classes = classes_of(train);
  torch::nn::Sequential net(Maxout(2, 8, 3), torch::nn::Linear(8, 1));
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(0.05));
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    const torch::Tensor loss = focal_loss(net->forward(train).squeeze(1), classes, 2);
    if (step % 20 == 0) std::printf("step %d loss %g\n", step, loss.item<double>());
    loss.backward();
    optimizer.step();
  }
  const torch::NoGradGuard no_grad;
  const double accuracy =
      (net->forward(test).squeeze(1) * classes_of(test) > 0).to(torch::kFloat).mean().item<double>();
  std::printf("%.1f %% of the test points are right\n", 100 * accuracy);
  const torch::Tensor scores = net->forward(train).squeeze(1);
  const torch::Tensor entropy = torch::binary_cross_entropy_with_logits(scores, (classes + 1) / 2);
  return accuracy >= 0.97 && torch::allclose(focal_loss(scores, classes, 0), entropy) ? 0 : 1;
}
