// SPDX-License-Identifier: Apache-2.0
// A transformer block written by hand, attention included, learns to reverse sequences of letters. Prints the loss,
// and of sequences that it has not seen how many letters are right, which must be 99 %.
#include <cmath>
#include <cstdio>
#include <string>

#include <situ/nn.hpp>
#include <situ/optim.hpp>

using namespace situ;

constexpr std::int64_t alphabet = 8, letters = 4, channels = 16, heads = 2;

template <Device D>
struct Block : nn::Module<Block<D>> {
  nn::LayerNorm<float, D> first_norm{channels}, second_norm{channels};
  nn::Linear<float, D> queries_keys_values{channels, 3 * channels}, mix{channels, channels};
  nn::Linear<float, D> up{channels, 2 * channels}, down{2 * channels, channels};

  static constexpr auto members() {
    return nn::members("first_norm", &Block::first_norm, "second_norm", &Block::second_norm, "queries_keys_values",
                       &Block::queries_keys_values, "mix", &Block::mix, "up", &Block::up, "down", &Block::down);
  }

  /// (batch, letters, channels) to the same.
  Variable<float, D> operator()(const Variable<float, D>& x) const {
    const Variable y = x + attention(first_norm(x));
    return y + down(relu(up(second_norm(y))));
  }

  /// Every position takes from all others, and from each as much as its query fits the other's key.
  Variable<float, D> attention(const Variable<float, D>& x) const {
    const Variable split = reshape(queries_keys_values(x), {-1, letters, 3, heads, channels / heads});
    const Variable parts = permute(split, {2, 0, 3, 1, 4});
    const Variable query = parts(0, all, all, all, all), key = parts(1, all, all, all, all);
    const Variable value = parts(2, all, all, all, all);  // (batch, heads, letters, channels / heads)
    const Variable weights = softmax(matmul(query, transpose(key)) / std::sqrt(channels / heads));
    return mix(reshape(transpose(matmul(weights, value), 1, 2), x.shape()));
  }
};

template <Device D>
struct Net : nn::Module<Net<D>> {
  nn::Embedding<float, D> letter{alphabet, channels};
  Variable<float, D> position{randn<float>({letters, channels}, D{})};
  Block<D> block;
  nn::Linear<float, D> head{channels, alphabet};

  static constexpr auto members() {
    return nn::members("letter", &Net::letter, "position", &Net::position, "block", &Net::block, "head", &Net::head);
  }

  /// Sequences (batch, letters) to a score for each letter at each position: (batch * letters, alphabet).
  Variable<float, D> operator()(const TensorLike auto& sequences) const {
    return flatten(head(block(letter(sequences) + position)), 0, 1);
  }
};

template <Device D>
bool run(D device) {
  set_seed(1);
  Generator generator(2);
  Net<D> net;
  optim::Adam optimizer(net, {.learning_rate = 0.02});
  for (int step = 0; step < 60; ++step) {
    const Tensor sequences = randint(0, alphabet, {24, letters}, device, generator);
    const Variable loss = cross_entropy(net(sequences), flatten(flip(sequences, 1)));
    if (step % 10 == 0) print("step", step, "loss", loss);
    optimizer.step(net, backward(loss));
  }

  const Tensor sequences = randint(0, alphabet, {100, letters}, device, generator);
  const Tensor found = argmax(constant(net)(sequences).value(), 1).to(cpu);
  const Tensor expected = flatten(flip(sequences, 1)).to(cpu);
  const auto text = [](const Tensor<std::int64_t>& codes) {
    std::string result;
    for (const std::int64_t code : codes(range(0, letters))) result += static_cast<char>('a' + code);
    return result;
  };
  const double accuracy = mean(cast<float>(found == expected)).item();
  std::printf("expected %s, found %s; %.1f %% of all letters are right\n", text(expected).c_str(), text(found).c_str(),
              100 * accuracy);
  return accuracy >= 0.99;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
