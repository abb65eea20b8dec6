// SPDX-License-Identifier: Apache-2.0
// A perceptron with a layer and a loss of one's own: Maxout, and the focal loss, which gives weight to the examples
// that are still wrong. It learns which points lie near the middle. Prints the loss and the accuracy on points that
// it has not seen, which must be 97 %; and checks that a focal loss with gamma 0 is the cross entropy.
#include <cmath>
#include <cstdio>

#include <situ/nn.hpp>
#include <situ/optim.hpp>

using namespace situ;

/// Each of `features` results is the largest of several linear functions.
template <Device D>
struct Maxout {
  nn::Linear<float, D> pieces;
  std::int64_t features;

  static constexpr auto members() { return nn::members("pieces", &Maxout::pieces, "features", &Maxout::features); }

  Variable<float, D> operator()(const TensorLike auto& x) const {
    return max(reshape(pieces(x), {x.shape()[0], features, -1}), 2);
  }
};

/// The mean of -(1 - p)^gamma log p, where p is the probability given to the right class (Lin et al., 2017). Classes
/// are -1 and 1, and the probability of the second is sigmoid(score).
template <Device D>
Variable<float, D> focal_loss(const Variable<float, D>& scores, const Tensor<float, D>& classes, float gamma) {
  const Variable margin = scores * classes;
  return mean(pow(sigmoid(-margin), gamma) * softplus(-margin));
}

/// 1 for points (n, 2) near the middle, -1 for others.
auto classes_of(const TensorLike auto& points) {
  return eval(1 - 2 * cast<float>(sum(square(points), 1) > 0.6f));
}

template <Device D>
bool run(D device) {
  Generator generator(1);
  const Tensor train = randn<float>({256, 2}, device, generator), test = randn<float>({256, 2}, device, generator);
  const Tensor classes = classes_of(train);

  nn::Sequential net{Maxout<D>{nn::Linear(2, 8 * 3, device, generator), 8}, nn::Linear(8, 1, device, generator)};
  optim::Adam optimizer(net, {.learning_rate = 0.05});
  for (int step = 0; step < 100; ++step) {
    const Variable loss = focal_loss(squeeze(net(train), 1), classes, 2);
    if (step % 20 == 0) print("step", step, "loss", loss);
    optimizer.step(net, backward(loss));
  }

  const Tensor right = eval(squeeze(net(test).value(), 1) * classes_of(test) > 0);
  const double accuracy = mean(cast<float>(right)).to(cpu).item();
  std::printf("%.1f %% of the test points are right\n", 100 * accuracy);

  const Variable scores = squeeze(net(train), 1);
  const Tensor entropy = bce_with_logits_loss(scores.value(), (classes + 1) / 2);
  const bool same = allclose(focal_loss(scores, classes, 0).value(), entropy).to(cpu).item();
  return accuracy >= 0.97 && same;
}

int main(int argc, char** argv) {
  const auto device = parse_device(argc > 1 ? argv[1] : device_name(try_gpu()));
  return with_device(device, [](auto d) { return run(d); }) ? 0 : 1;
}
