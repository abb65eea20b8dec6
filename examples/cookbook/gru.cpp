// SPDX-License-Identifier: Apache-2.0
// A recurrent network written by hand: a GRU learns a sentence by heart, letter by letter. Then it is given the first
// letter and says the rest. Prints the loss and what it says, which must be the sentence.
#include <cstdio>
#include <string>
#include <vector>

#include <situ/nn.hpp>
#include <situ/optim.hpp>

using namespace situ;

const std::string sentence = "she sells sea shells", alphabet = " aehls";

template <Device D>
struct Gru : nn::Module<Gru<D>> {
  static constexpr std::int64_t width = 16, letters = 6;
  nn::Embedding<float, D> input{letters, 3 * width};
  nn::Linear<float, D> hidden{width, 3 * width};
  nn::Linear<float, D> output{width, letters};

  static constexpr auto members() {
    return nn::members("input", &Gru::input, "hidden", &Gru::hidden, "output", &Gru::output);
  }

  /// The state after a letter, from that before.
  Variable<float, D> operator()(const TensorLike auto& letter, const TensorLike auto& state) const {
    const IndexRange first = range(0, width), second = range(width, 2 * width), third = range(2 * width, 3 * width);
    const Variable x = input(letter), h = hidden(state);
    const Variable gates = sigmoid(x(range(0, 2 * width)) + h(range(0, 2 * width)));
    const Variable fresh = tanh(x(third) + gates(first) * h(third));
    return fresh + gates(second) * (state - fresh);
  }
};

template <Device D>
bool run(D device) {
  set_seed(1);
  Gru<D> net;
  std::vector<std::int64_t> codes;
  for (const char letter : sentence) codes.push_back(static_cast<std::int64_t>(alphabet.find(letter)));
  const Tensor text = tensor(codes, device);
  const Variable silence = constant(zeros<float>({net.width}, device));

  optim::Adam optimizer(net, {.learning_rate = 0.04});
  for (int step = 0; step < 50; ++step) {
    std::vector<Variable<float, D>> states = {silence};
    for (std::int64_t i = 0; i + 1 < text.size(); ++i) states.push_back(net(text.element(i), states.back()));
    states.erase(states.begin());
    const Variable loss = cross_entropy(net.output(stack(states, 0)), text(range(1, IndexRange::none)));
    if (step % 10 == 0) print("step", step, "loss", loss);
    optimizer.step(net, backward(loss));
  }

  std::string said(1, sentence[0]);
  Variable state = silence;
  Tensor letter = text.element(0);
  while (said.size() < sentence.size()) {
    state = constant(net)(letter, state);
    letter = argmax(net.output(state).value());
    said += alphabet[static_cast<std::size_t>(letter.to(cpu).item())];
  }
  std::printf("%s\n", said.c_str());
  return said == sentence;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
