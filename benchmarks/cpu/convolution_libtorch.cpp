// SPDX-License-Identifier: Apache-2.0
// LibTorch, which gives convolutions of floats to oneDNN.
#include "convolution.hpp"
#include "peer_libtorch.hpp"

#include <array>

namespace rows {

namespace {

void add_all() {
  for (const convolution::Case& c : convolution::cases) {
    const auto prepared = [=](const auto& f) {
      return [x = LibTorch::operand<float>({c.images, c.channels, c.side, c.side}, 1),
              w = LibTorch::operand<float>({c.out_channels, c.channels / c.groups, c.kernel, c.kernel}, 2),
              g = LibTorch::operand<float>({c.images, c.out_channels, c.out_side(), c.out_side()}, 3), c,
              f] { return f(c, x, w, g); };
    };
    add<LibTorch>(c.row(convolution::result), [=] {
      return prepared([](const auto& of, const at::Tensor& x, const at::Tensor& w, const at::Tensor&) {
        return at::conv2d(x, w, {}, {of.stride, of.stride}, {of.padding(), of.padding()}, {1, 1}, of.groups);
      });
    });
    for (const bool of_images : {true, false}) {
      add<LibTorch>(c.row(of_images ? convolution::image_gradient : convolution::weight_gradient), [=] {
        return prepared([=](const auto& of, const at::Tensor& x, const at::Tensor& w, const at::Tensor& g) {
          const std::array<bool, 3> wanted{of_images, !of_images, false};
          const auto all =
              at::convolution_backward(g, x, w, at::OptionalIntArrayRef(), {of.stride, of.stride},
                                       {of.padding(), of.padding()}, {1, 1}, false, {0, 0}, of.groups, wanted);
          return of_images ? std::get<0>(all) : std::get<1>(all);
        });
      });
    }
  }
}

const Registration here("convolution", add_all);

}  // namespace

}  // namespace rows
