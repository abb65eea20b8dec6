// SPDX-License-Identifier: Apache-2.0
// Convolutions of long rows, which are cut into pieces: the values, and the working memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;

namespace {

struct Case {
  Shape x, w;
  Conv2dOptions options;
};

// With columns, without, and depthwise; one row and several, strides, padding, dilation.
const std::vector<Case> cases{
    {{1, 5, 1, 30'000}, {5, 5, 1, 9}, {.padding = {0, 4}}},
    {{1, 5, 2, 30'000}, {3, 5, 3, 5}, {.stride = {1, 2}, .padding = {1, 7}, .dilation = {1, 3}}},
    {{1, 2, 1, 20'000}, {6, 1, 1, 65}, {.padding = {0, 40}, .groups = 2}},
    {{2, 3, 1, 6'000}, {16, 3, 1, 7}, {.padding = {0, 9}}},
    {{1, 16, 3, 6'000}, {32, 8, 2, 3}, {.stride = {1, 2}, .padding = {1, 5}, .dilation = {1, 2}, .groups = 2}},
    {{1, 1, 1, 1'200'000}, {1, 1, 1, 3}, {.padding = {0, 1}}},
    {{1, 1, 2, 700'000}, {2, 1, 3, 4}, {.stride = {1, 3}, .padding = {2, 6}, .dilation = {1, 5}}},
};

Tensor<float> pattern(const Shape& shape, std::int64_t factor) {
  return eval(cast<float>((reference::counting<double>(shape) * static_cast<double>(factor) % 13.0 - 6.0) * 0.0625));
}

std::vector<float> elements(const Tensor<float>& x) {
  const Tensor<float> all = contiguous(x);
  return {all.span().begin(), all.span().end()};
}

/// The result from windows of 500 columns at a time, each with what it reads of the images, padded beforehand.
Tensor<float> in_strips(const Tensor<float>& x, const Tensor<float>& w, const Conv2dOptions& o, std::int64_t width) {
  const std::int64_t rows = o.padding.height, columns = o.padding.width;
  const Tensor<float> padded = pad(x, {{0, 0}, {0, 0}, {rows, rows}, {columns, columns}});
  Conv2dOptions options = o;
  options.padding = 0;
  std::vector<Tensor<float>> strips;
  for (std::int64_t first = 0; first < width; first += 500) {
    const std::int64_t count = std::min<std::int64_t>(500, width - first);
    const std::int64_t reach = (count - 1) * o.stride.width + (w.extent(3) - 1) * o.dilation.width + 1;
    strips.push_back(conv2d(narrow(padded, 3, first * o.stride.width, reach), w, options));
  }
  return concat(strips, 3);
}

/// Both gradients by their definition, in double.
std::pair<std::vector<double>, std::vector<double>> gradients_of(const Case& c, const std::vector<float>& x,
                                                                 const std::vector<float>& w,
                                                                 const std::vector<float>& g, const Shape& shape) {
  const Conv2dOptions& o = c.options;
  std::vector<double> dx(x.size()), dw(w.size());
  const std::int64_t in = c.w[1], out = c.w[0] / o.groups;
  std::size_t at = 0;
  for (std::int64_t n = 0; n < shape[0]; ++n) {
    for (std::int64_t channel = 0; channel < shape[1]; ++channel) {
      for (std::int64_t i = 0; i < shape[2]; ++i) {
        for (std::int64_t j = 0; j < shape[3]; ++j, ++at) {
          auto by = static_cast<std::size_t>(channel * in * c.w[2] * c.w[3]);
          for (std::int64_t from = 0; from < in; ++from) {
            for (std::int64_t k = 0; k < c.w[2]; ++k) {
              for (std::int64_t l = 0; l < c.w[3]; ++l, ++by) {
                const std::int64_t row = i * o.stride.height - o.padding.height + k * o.dilation.height;
                const std::int64_t column = j * o.stride.width - o.padding.width + l * o.dilation.width;
                if (row < 0 || column < 0 || row >= c.x[2] || column >= c.x[3]) continue;
                const auto position = static_cast<std::size_t>(
                    ((n * c.x[1] + channel / out * in + from) * c.x[2] + row) * c.x[3] + column);
                dx[position] += static_cast<double>(g[at]) * static_cast<double>(w[by]);
                dw[by] += static_cast<double>(g[at]) * static_cast<double>(x[position]);
              }
            }
          }
        }
      }
    }
  }
  return {dx, dw};
}

double difference(const std::vector<double>& wanted, const std::vector<float>& found) {
  REQUIRE(wanted.size() == found.size());
  double most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    most = std::max(most, std::abs(wanted[i] - static_cast<double>(found[i])) / (1 + std::abs(wanted[i])));
  return most;
}

}  // namespace

TEST_CASE("long rows: the same bits as in strips, and the gradients") {
  const int before = num_threads();
  for (const Case& c : cases) {
    CAPTURE(c.x.to_string());
    CAPTURE(c.w.to_string());
    const Tensor<float> x = pattern(c.x, 5), w = pattern(c.w, 7);
    set_num_threads(1);
    const Tensor<float> y = conv2d(x, w, c.options);
    CHECK(elements(in_strips(x, w, c.options, y.extent(3))) == elements(y));
    const Tensor<float> g = pattern(y.shape(), 3);
    const auto gradients = [&] {
      const Variable image(x), weight(w);
      const Gradients all = backward(conv2d(image, weight, c.options), g);
      return std::pair(elements(all[image]), elements(all[weight]));
    };
    const auto found = gradients();
    const auto [dx, dw] = gradients_of(c, elements(x), elements(w), elements(g), y.shape());
    CHECK(difference(dx, found.first) < 1e-5);
    CHECK(difference(dw, found.second) < 1e-4);
    set_num_threads(3);
    CHECK(elements(conv2d(x, w, c.options)) == elements(y));
    CHECK(gradients() == found);
  }
  set_num_threads(before);
}

TEST_CASE("working memory does not grow with the length of a row") {
  const int before = num_threads();
  set_num_threads(1);
  const std::vector<Case> signals{{{1, 4, 1, 100'000}, {4, 4, 1, 301}, {}},   // 480 MB of columns
                                  {{1, 16, 1, 200'000}, {16, 16, 1, 3}, {}},  // 30 MB of padded signal and result
                                  {{1, 1, 1, 4'000'000}, {1, 1, 1, 3}, {}}};
  for (const Case& c : signals) {
    CAPTURE(c.x.to_string());
    empty_cache<Cpu>();
    const Variable x(ones<float>(c.x)), w(ones<float>(c.w));
    const Variable y = conv2d(x, w, c.options);
    CHECK(memory_stats<Cpu>().workspace < std::size_t{8} << 20);
    static_cast<void>(backward(y, ones<float>(y.shape())));
    CHECK(memory_stats<Cpu>().workspace < std::size_t{12} << 20);
  }
  set_num_threads(before);
}
