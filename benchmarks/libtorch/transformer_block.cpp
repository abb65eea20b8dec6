// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/transformer_block.cpp with LibTorch: what its compile time is compared with.
#include <cmath>
#include <cstdio>

#include <torch/torch.h>

constexpr std::int64_t alphabet = 8, letters = 4, channels = 16, heads = 2;

struct BlockImpl : torch::nn::Module {
  torch::nn::LayerNorm first_norm{register_module("first_norm", norm())},
      second_norm{register_module("second_norm", norm())};
  torch::nn::Linear queries_keys_values{
      register_module("queries_keys_values", torch::nn::Linear(channels, 3 * channels))};
  torch::nn::Linear mix{register_module("mix", torch::nn::Linear(channels, channels))};
  torch::nn::Linear up{register_module("up", torch::nn::Linear(channels, 2 * channels))};
  torch::nn::Linear down{register_module("down", torch::nn::Linear(2 * channels, channels))};

  static torch::nn::LayerNorm norm() { return torch::nn::LayerNorm(torch::nn::LayerNormOptions({channels})); }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor y = x + attention(first_norm(x));
    return y + down(torch::relu(up(second_norm(y))));
  }
  torch::Tensor attention(const torch::Tensor& x) {
    const torch::Tensor parts =
        queries_keys_values(x).reshape({-1, letters, 3, heads, channels / heads}).permute({2, 0, 3, 1, 4});
    const torch::Tensor query = parts[0], key = parts[1], value = parts[2];
    const torch::Tensor weights = torch::softmax(query.matmul(key.transpose(-2, -1)) / std::sqrt(channels / heads), -1);
    return mix(weights.matmul(value).transpose(1, 2).reshape(x.sizes()));
  }
};
TORCH_MODULE(Block);

struct NetImpl : torch::nn::Module {
  torch::nn::Embedding letter{register_module("letter", torch::nn::Embedding(alphabet, channels))};
  torch::Tensor position{register_parameter("position", torch::randn({letters, channels}))};
  Block block{register_module("block", Block())};
  torch::nn::Linear head{register_module("head", torch::nn::Linear(channels, alphabet))};

  torch::Tensor forward(const torch::Tensor& sequences) {
    return head(block(letter(sequences) + position)).flatten(0, 1);
  }
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(1);
  Net net;
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(0.02));
  for (int step = 0; step < 60; ++step) {
    const torch::Tensor sequences = torch::randint(alphabet, {24, letters}, torch::kLong);
    optimizer.zero_grad();
    const torch::Tensor loss = torch::nn::functional::cross_entropy(net(sequences), sequences.flip(1).flatten());
    if (step % 10 == 0) std::printf("step %d loss %g\n", step, loss.item<double>());
    loss.backward();
    optimizer.step();
  }
  const torch::NoGradGuard no_grad;
  const torch::Tensor sequences = torch::randint(alphabet, {100, letters}, torch::kLong);
  const torch::Tensor right = net(sequences).argmax(1) == sequences.flip(1).flatten();
  const double accuracy = right.to(torch::kFloat).mean().item<double>();
  std::printf("%.1f %% of all letters are right\n", 100 * accuracy);
  return accuracy >= 0.99 ? 0 : 1;
}
