// SPDX-License-Identifier: Apache-2.0
// Softmax regression on 1,797 handwritten digits, by gradient descent; written once, for any device. The first half of
// the rows trains, the other half tests. Fails when fewer than 90 % of the test digits are recognised.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <situ/csv.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {


constexpr std::int64_t pixels = 64;
constexpr std::int64_t classes = 10;

/// Images of shape (rows, 64) with values in [0, 1], and their labels of shape (rows,).
template <Device D>
struct Digits {
  Tensor<float, D> images;
  Tensor<std::int64_t, D> labels;

  template <Device To>
  Digits<To> to(To device) const {
    return {images.to(device), labels.to(device)};
  }
};

/// Reads rows of 64 pixel values from 0 to 16 and a label, separated by commas.
Digits<Cpu> read_digits(const std::string& path) {
  const Tensor table = load_csv<float>(path);
  return {table(all, range(0, pixels)) / 16, cast<std::int64_t>(table(all, pixels))};
}

/// Scores of every class, of shape (rows, 10): images * weight + bias.
template <Device D>
struct Classifier {
  Tensor<float, D> weight;  // (64, 10)
  Tensor<float, D> bias;    // (10,)

  Tensor<float, D> operator()(const Tensor<float, D>& images) const { return matmul(images, weight) + bias; }
};

/// One line that is overwritten on a terminal, and a line now and then where the output goes to a file.
void report(int step, int steps, float loss) {
  static const bool terminal = isatty(fileno(stdout)) != 0;
  if (!terminal && step % 50 != 0 && step != 1) return;
  const bool stay = terminal && step < steps;
  std::printf("%sstep %3d of %d, loss %.4f%s", terminal ? "\r" : "", step, steps, static_cast<double>(loss),
              stay ? "" : "\n");
  std::fflush(stdout);
}

/// Gradient descent on the mean cross-entropy of all images. Its gradient with respect to the scores is
/// (softmax(scores) - one_hot(labels)) / rows (Bishop, Pattern Recognition and Machine Learning, section 4.3.4).
template <Device D>
Classifier<D> train(const Digits<D>& digits, int steps, float learning_rate, D device) {
  Generator generator(1);
  Classifier<D> model{randn<float>({pixels, classes}, device, generator) * 0.01f, zeros<float>({classes}, device)};
  const Tensor target = one_hot(digits.labels, classes);
  const auto rows = static_cast<float>(digits.images.extent(0));
  for (int step = 1; step <= steps; ++step) {
    const Tensor scores = model(digits.images);
    const Tensor gradient = (softmax(scores, 1) - target) / rows;
    model.weight -= learning_rate * matmul(transpose(digits.images), gradient);
    model.bias -= learning_rate * sum(gradient, 0);
    if (step == 1 || step % 10 == 0) report(step, steps, cross_entropy(scores, digits.labels).to(Cpu{}).item());
  }
  return model;
}

/// How many digits of each class (rows) were taken for each class (columns).
template <Device D>
Tensor<std::int64_t, D> confusion_matrix(const Tensor<std::int64_t, D>& labels, const Tensor<std::int64_t, D>& found,
                                         D device) {
  const Tensor<std::int64_t, D> counts = scatter_add(zeros<std::int64_t>({classes * classes}, device), 0,
                                                     labels * classes + found,
                                                     ones<std::int64_t>(labels.shape(), device));
  return reshape(counts, {classes, classes});
}

/// Trains and tests on one device; gives the accuracy.
template <Device D>
float run(const Digits<Cpu>& all_digits, D device) {
  std::printf("device: %s\n", device_name(device).c_str());
  const std::int64_t half = all_digits.labels.size() / 2;
  const auto part = [&](IndexRange rows) {
    return Digits<Cpu>{all_digits.images(rows, all), all_digits.labels(rows)}.to(device);
  };
  const Digits<D> training = part(range(0, half));
  const Digits<D> test = part(range(half, IndexRange::none));

  const Classifier<D> model = train(training, 300, 1.0f, device);
  const Tensor found = argmax(model(test.images), 1);
  const float accuracy = mean(cast<float>(found == test.labels)).to(Cpu{}).item();

  const Tensor confusion = confusion_matrix(test.labels, found, device).to(Cpu{});
  std::printf("\ntaken for ->");
  for (std::int64_t column = 0; column < classes; ++column) std::printf("%5d", static_cast<int>(column));
  for (std::int64_t row = 0; row < classes; ++row) {
    std::printf("\n          %2d", static_cast<int>(row));
    for (std::int64_t column = 0; column < classes; ++column) {
      std::printf("%5d", static_cast<int>(confusion(row, column)));
    }
  }
  std::printf("\n\n%d of %d test digits recognised: %.2f %%\n", static_cast<int>(sum(diagonal(confusion)).item()),
              static_cast<int>(test.labels.size()), static_cast<double>(accuracy) * 100);
  return accuracy;
}

}  // namespace

int main() {
  try {
    const Digits<Cpu> digits = read_digits("data/digits.csv");
    std::printf("%d digits of 8x8 pixels\n", static_cast<int>(digits.labels.size()));
    const float accuracy = with_device(try_gpu<0>(), [&](auto device) { return run(digits, device); });
    return accuracy >= 0.90f ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digits: %s\n", error.what());
    return 1;
  }
}
