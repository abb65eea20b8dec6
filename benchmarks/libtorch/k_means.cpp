// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/k_means.cpp with LibTorch, without its check by plain loops: what its compile time is compared with.
#include <iostream>

#include <torch/torch.h>

/// The squared distance of every point (n, d) from every centre (k, d): (n, k).
torch::Tensor distances(const torch::Tensor& points, const torch::Tensor& centres) {
  return (points.unsqueeze(1) - centres).square().sum(2);
}

/// `k` points far from each other: the first one, then always the one farthest from those chosen.
torch::Tensor first_centres(const torch::Tensor& points, int k) {
  torch::Tensor centres = points.slice(0, 0, 1);
  while (centres.size(0) < k) {
    const torch::Tensor farthest = distances(points, centres).amin(1).argmax();
    centres = torch::cat({centres, points.index_select(0, farthest.unsqueeze(0))});
  }
  return centres;
}

torch::Tensor k_means(const torch::Tensor& points, int k) {
  torch::Tensor centres = first_centres(points, k);
  for (bool moving = true; moving;) {
    const torch::Tensor members = torch::one_hot(distances(points, centres).argmin(1), k).to(torch::kFloat);
    const torch::Tensor means = members.t().matmul(points) / members.sum(0).unsqueeze(1);
    moving = (means != centres).any().item<bool>();
    centres = means;
  }
  return centres;
}

int main() {
  torch::manual_seed(7);
  const torch::Tensor truth = torch::tensor({{-4.f, -4.f}, {-4.f, 4.f}, {4.f, -4.f}, {4.f, 4.f}});
  const torch::Tensor points = truth.index_select(0, torch::arange(400) % 4) + torch::randn({400, 2});
  const torch::Tensor centres = k_means(points, 4);
  std::cout << centres << "\n";
  return distances(truth, centres).amin(1).max().item<float>() < 0.1f ? 0 : 1;
}
