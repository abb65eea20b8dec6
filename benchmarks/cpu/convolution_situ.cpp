// SPDX-License-Identifier: Apache-2.0
// situ's convolutions.
#include "convolution.hpp"
#include "peer_situ.hpp"

namespace rows {

namespace {

using situ::Tensor;

Tensor<float> operand(const situ::Shape& shape, unsigned seed) {
  return situ::from_span<float>(random(shape.count(), seed), shape);
}

void add_all() {
  for (const convolution::Case& c : convolution::cases) {
    const situ::Shape images{c.images, c.channels, c.side, c.side};
    const situ::Shape weight{c.out_channels, c.channels / c.groups, c.kernel, c.kernel};
    const situ::Shape result{c.images, c.out_channels, c.out_side(), c.out_side()};
    const situ::Conv2dOptions options{.stride = c.stride, .padding = c.padding(), .groups = c.groups};
    const auto plan = situ::internal::plan_convolution(images, weight, nullptr, options).convolution;
    add<Situ>(c.row(convolution::result), [=] {
      return [x = operand(images, 1), w = operand(weight, 2), options] { return conv2d(x, w, options); };
    });
    add<Situ>(c.row(convolution::image_gradient), [=] {
      return [g = operand(result, 3), w = operand(weight, 2), images, plan] {
        return situ::internal::convolution_input_gradient(g, w, images, plan);
      };
    });
    add<Situ>(c.row(convolution::weight_gradient), [=] {
      return [g = operand(result, 3), x = operand(images, 1), weight, plan] {
        return situ::internal::convolution_weight_gradient(g, x, weight, plan);
      };
    });
  }
}

const Registration here("convolution", add_all);

}  // namespace

}  // namespace rows
