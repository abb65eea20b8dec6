// SPDX-License-Identifier: Apache-2.0
// Gradients of convolutions and poolings, against differences.
// labels: gradients
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/autograd/apply.hpp>
#include <situ/threads/thread_pool.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::elements;
using gradient_check::numbers;

struct Case {
  Shape x, w;
  Conv2dOptions options;
};

TEST_CASE("conv2d") {
  const std::vector<Case> cases{
      {{2, 2, 4, 3}, {3, 2, 3, 2}, {.padding = 1}},
      {{2, 2, 5, 3}, {1, 2, 3, 3}, {.stride = {2, 1}, .padding = 1}},
      {{2, 2, 3, 4}, {3, 2, 1, 1}, {}},
      {{1, 2, 6, 7}, {2, 2, 3, 2}, {.stride = {2, 3}, .padding = {2, 1}, .dilation = {1, 2}}},
      {{2, 4, 4, 3}, {6, 2, 2, 2}, {.stride = {1, 2}, .padding = {0, 1}, .groups = 2}},
      {{2, 3, 3, 3}, {3, 1, 3, 3}, {.padding = 1, .groups = 3}},
      {{2, 2, 3, 20}, {2, 1, 2, 2}, {.padding = {1, 0}, .groups = 2}},
      {{2, 2, 5, 20}, {4, 1, 3, 2}, {.stride = {2, 1}, .padding = {1, 1}, .dilation = {1, 3}, .groups = 2}},
      {{1, 2, 5, 6}, {2, 1, 3, 2}, {.stride = {1, 2}, .padding = {1, 1}, .dilation = {2, 1}, .groups = 2}},
      {{1, 1, 2, 2}, {1, 1, 4, 3}, {.padding = 3}},
      {{1, 1, 2, 2}, {3, 1, 4, 3}, {.padding = 3}},
      {{1, 6, 3, 4}, {6, 6, 2, 3}, {.padding = {0, 3}, .dilation = {1, 2}}},
      {{1, 4, 6, 5}, {8, 4, 2, 2}, {.padding = {2, 1}, .dilation = {3, 2}}},
      {{2, 4, 3}, {1, 2, 2, 2}, {}},  // one image
      // Depthwise, channels side by side.
      {{2, 9, 4, 7}, {9, 1, 3, 3}, {.padding = 1, .groups = 9}},
      {{2, 9, 5, 6}, {9, 1, 2, 3}, {.stride = {2, 3}, .padding = {1, 2}, .dilation = {2, 1}, .groups = 9}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.x.to_string());
    check([&](const auto& x, const auto& w, const auto& b) { return conv2d(x, w, b, c.options); }, numbers(c.x),
          numbers(c.w, -1, 1, 3), numbers({c.w[0]}, -1, 1, 4));
  }
  check([](const auto& x, const auto& w) { return tanh(conv2d(x * 2.0, w)); }, numbers({1, 1, 3, 3}),
        numbers({2, 1, 2, 2}));
}

TEST_CASE("signals and volumes") {
  const auto line = [](const auto& x, const auto& w, const auto& b) {
    return conv1d(x, w, b, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2});
  };
  check(line, numbers({2, 4, 7}), numbers({2, 2, 3}, -1, 1, 2), numbers({2}, -1, 1, 3));
  check([](const auto& x, const auto& w) { return conv1d(x * 2.0, w); }, numbers({2, 5}), numbers({3, 2, 2}, -1, 1, 2));
  const auto box = [](const auto& x, const auto& w, const auto& b) {
    return conv3d(x, w, b, {.stride = {1, 2, 1}, .padding = {1, 0, 1}, .dilation = {2, 1, 1}, .groups = 2});
  };
  check(box, numbers({2, 2, 3, 4, 2}), numbers({2, 1, 2, 2, 3}, -1, 1, 2), numbers({2}, -1, 1, 3));
  // Sums of what windows share are of floats: 2048 + 1 + 1 in 16 bits would stay 2048.
  const Variable<float16> half(ones<float16>({1, 1, 1, 1, 1}));
  for (const Tensor<float>& taps : {tensor({2048.f, 1.f, 1.f}), tensor({1.f, 1.f, 2048.f})}) {
    const Tensor weight = cast<float16>(reshape(taps, {1, 1, 3, 1, 1}));
    CHECK(static_cast<float>(backward(sum(conv3d(half, weight, {.padding = {2, 0, 0}})))[half].item()) == 2050.f);
  }
  check([](const auto& w) { return conv3d(numbers({1, 3, 3, 2}), w); }, numbers({2, 1, 2, 2, 1}, -1, 1, 2));
  check([](const auto& x) { return max_pool1d(x, 3, {.stride = 2, .padding = 1}); }, numbers({2, 7}));
  check([](const auto& x) { return avg_pool1d(x, 3, {.stride = 2, .padding = 1}); }, numbers({2, 7}));
  check([](const auto& x) { return avg_pool1d(x, 2, {.stride = 1, .padding = 1, .dilation = 3}); }, numbers({2, 7}));
  check([](const auto& x) { return avg_pool3d(x, 2, {.stride = 1, .dilation = {2, 1, 3}}); }, numbers({1, 3, 3, 5}));
  check([](const auto& x) { return max_pool3d(x, 2, {.stride = 1, .padding = {1, 0, 0}}); }, numbers({1, 3, 3, 4}));
  check([](const auto& x) { return avg_pool3d(x, {2, 2, 3}, {.ceil_mode = true}); }, numbers({1, 3, 3, 4}));
  check([](const auto& x) { return max_pool2d_with_indices(x, {2, 3}).values; }, numbers({2, 4, 7}));
  check([](const auto& x) { return avg_pool2d(x, 2, {.padding = 1, .ceil_mode = true, .dilation = {2, 1}}); },
        numbers({2, 4, 7}));
  // of equal elements the first has all of it, as in PyTorch
  const Variable v(ones<double>({1, 2, 2, 2}));
  CHECK(elements(backward(sum(max_pool3d(v, 2)))[v]) == std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0});
}

/// The gradients of a larger convolution by the definition.
TEST_CASE("conv2d of many tiles, with any number of threads") {
  const int before = num_threads();
  const std::vector<Case> cases{{{1, 40, 40, 40}, {3, 40, 3, 3}, {.stride = {1, 2}, .padding = 1}},
                                {{70, 4, 8, 8}, {6, 2, 3, 3}, {.padding = 1, .groups = 2}},
                                // without columns
                                {{3, 40, 10, 8}, {8, 40, 3, 3}, {.padding = 1}},
                                {{9, 16, 14, 6}, {14, 8, 3, 3}, {.padding = 1, .groups = 2}},
                                {{9, 16, 14, 6}, {14, 8, 3, 3}, {.stride = {2, 1}, .padding = 1, .groups = 2}}};
  for (const Case& c : cases) {
    const Tensor<double> x = numbers(c.x), w = numbers(c.w, -1, 1, 3);
    const Tensor<double> g = numbers(conv2d(x, w, c.options).shape(), -1, 1, 5);
    const auto gradients = [&] {
      const Variable image(x), weight(w);
      const Gradients all = backward(conv2d(image, weight, c.options), g);
      return std::pair(elements(all[image]), elements(all[weight]));
    };
    set_num_threads(1);
    const auto found = gradients();
    set_num_threads(3);
    CHECK(gradients() == found);
    std::vector<double> dx(found.first.size()), dw(found.second.size());
    const std::int64_t in = c.w[1], out = c.w[0] / c.options.groups;
    const std::vector<double> xs = elements(x), ws = elements(w), gs = elements(g);
    std::size_t at = 0;
    for (std::int64_t n = 0; n < g.extent(0); ++n) {
      for (std::int64_t o = 0; o < g.extent(1); ++o) {
        for (std::int64_t i = 0; i < g.extent(2); ++i) {
          for (std::int64_t j = 0; j < g.extent(3); ++j, ++at) {
            for (std::int64_t k = 0; k < in * 9; ++k) {
              const std::int64_t row = i * c.options.stride.height - 1 + k / 3 % 3;
              const std::int64_t column = j * c.options.stride.width - 1 + k % 3;
              if (row < 0 || column < 0 || row >= c.x[2] || column >= c.x[3]) continue;
              const auto from = static_cast<std::size_t>(
                  ((n * c.x[1] + o / out * in + k / 9) * c.x[2] + row) * c.x[3] + column);
              const auto by = static_cast<std::size_t>(o * in * 9 + k);
              dx[from] += gs[at] * ws[by];
              dw[by] += gs[at] * xs[from];
            }
          }
        }
      }
    }
    double error = 0;
    for (std::size_t i = 0; i < dx.size(); ++i) error = std::max(error, std::abs(dx[i] - found.first[i]));
    for (std::size_t i = 0; i < dw.size(); ++i) error = std::max(error, std::abs(dw[i] - found.second[i]) * 1e-2);
    CHECK(error < 1e-12);
  }
  set_num_threads(before);
}

TEST_CASE("conv2d of no images, and what is not wanted") {
  const Variable w(numbers({3, 2, 2, 2})), b(numbers({3}));
  const Gradients gradients = backward(sum(conv2d(zeros<double>({0, 2, 4, 4}), w, b)));
  CHECK(elements(gradients[w]) == std::vector<double>(24, 0.0));
  CHECK(elements(gradients[b]) == std::vector<double>(3, 0.0));
  CHECK(backward(sum(conv2d(numbers({1, 2, 4, 4}), w))).size() == 1);
  CHECK(!conv2d(constant(numbers({1, 2, 4, 4})), constant(w)).records());
}

TEST_CASE("poolings") {
  const std::vector<MaxPool2dOptions> of_max{{},
                                             {.stride = 1},
                                             {.stride = {2, 1}, .padding = 1, .dilation = {2, 1}},
                                             {.stride = 2, .padding = 1, .ceil_mode = true}};
  const Tensor<double> apart =
      reshape(arange<double>(140) * 89.0 % 149.0 * 0.05, {2, 2, 5, 7});  // no two near each other
  for (const MaxPool2dOptions& o : of_max) {
    check([&](const auto& x) { return max_pool2d(x, {2, 3}, o); }, apart);
  }
  for (const bool counts : {false, true}) {
    check([&](const auto& x) { return avg_pool2d(x, {2, 3}, {.count_include_pad = counts}); }, numbers({2, 5, 7}));
    check(
        [&](const auto& x) { return avg_pool2d(x, 3, {.stride = {1, 2}, .padding = 1, .count_include_pad = counts}); },
        numbers({1, 2, 4, 6}));
    check([&](const auto& x) {
      return avg_pool2d(x * x, {3, 2}, {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = counts});
    }, numbers({2, 1, 4, 5}));
  }
}

TEST_CASE("of equal elements the first gets the gradient, of NaNs the last, and windows that overlap add up") {
  const auto gradient = [](const Tensor<double>& x, Size2d kernel, const MaxPool2dOptions& options) {
    const Variable v(x);
    return elements(backward(sum(max_pool2d(v, kernel, options)))[v]);
  };
  constexpr double least = -std::numeric_limits<double>::infinity(),
                   nan_value = std::numeric_limits<double>::quiet_NaN();
  CHECK(gradient(tensor({{{1.0, 1.0}, {1.0, 1.0}}}), 2, {}) == std::vector<double>{1, 0, 0, 0});
  CHECK(gradient(tensor({{{least, least}, {least, least}}}), 2, {}) == std::vector<double>{1, 0, 0, 0});
  CHECK(gradient(tensor({{{0.0, nan_value}, {nan_value, 9.0}}}), 2, {}) == std::vector<double>{0, 0, 1, 0});
  CHECK(gradient(tensor({{{0.0, 5.0, 1.0, 5.0}}}), {1, 3}, {.stride = 1}) == std::vector<double>{0, 2, 0, 0});
  CHECK(gradient(tensor({{{0.0, 0.0}, {0.0, 0.0}}}), 2, {.stride = 1, .padding = 1}) ==
        std::vector<double>{4, 2, 2, 1});
  CHECK(!max_pool2d(constant(ones<double>({1, 2, 2})), 2).records());
}

TEST_CASE("16-bit floats are added up in float") {
  const Variable x(ones<float16>({1, 1, 2100}));  // 2048 + 1 is 2048 in float16
  const Variable y = avg_pool2d(x, {1, 2100});
  CHECK(static_cast<float>(y.value()(0, 0, 0)) == 1.f);
  const Variable w(ones<float16>({1, 1, 1, 2}));
  const Variable image(ones<float16>({1, 1, 2101}));
  CHECK(static_cast<float>(backward(sum(conv2d(image, w)))[w](0, 0, 0, 1)) == 2100.f);
}

}  // namespace
