// SPDX-License-Identifier: Apache-2.0
#include "convolution.hpp"
#include "rows.hpp"

#include <algorithm>
#include <functional>

#include <situ/situ.hpp>

namespace rows {

namespace {

using situ::Tensor;

Tensor<float> operand(const situ::Shape& shape, unsigned seed) {
  const std::vector<float> values = random(shape.count(), seed);
  Tensor<float> x = situ::zeros<float>(shape);
  std::copy(values.begin(), values.end(), x.write().data());
  return x;
}
void keep(const Tensor<float>& x) { benchmark::DoNotOptimize(x.data()); }

}  // namespace

void add_situ_convolutions() {
  for (const convolution::Case& c : convolution::cases) {
    const situ::Shape images{c.images, c.channels, c.side, c.side};
    const situ::Shape weight{c.out_channels, c.channels / c.groups, c.kernel, c.kernel};
    const situ::Shape result{c.images, c.out_channels, c.out_side(), c.out_side()};
    const situ::Conv2dOptions options{.stride = c.stride, .padding = c.padding(), .groups = c.groups};
    const auto plan = situ::internal::plan_convolution(images, weight, nullptr, options).convolution;
    add(c.row(convolution::result), "situ", [=] {
      return [x = operand(images, 1), w = operand(weight, 2), options] { keep(conv2d(x, w, options)); };
    });
    add(c.row(convolution::image_gradient), "situ", [=] {
      return [g = operand(result, 3), w = operand(weight, 2), images, plan] {
        keep(situ::internal::convolution_input_gradient(g, w, images, plan));
      };
    });
    add(c.row(convolution::weight_gradient), "situ", [=] {
      return [g = operand(result, 3), x = operand(images, 1), weight, plan] {
        keep(situ::internal::convolution_weight_gradient(g, x, weight, plan));
      };
    });
  }
}

}  // namespace rows
