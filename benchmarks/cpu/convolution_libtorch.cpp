// SPDX-License-Identifier: Apache-2.0
// LibTorch, which gives convolutions of floats to oneDNN.
#include "convolution.hpp"
#include "rows.hpp"

#include <array>
#include <functional>

#include <ATen/ATen.h>

namespace rows {

namespace {

at::Tensor operand(at::IntArrayRef shape, unsigned seed) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<float> values = random(count, seed);
  return at::from_blob(values.data(), shape, at::kFloat).clone();
}

}  // namespace

void add_libtorch_convolutions() {
  for (const convolution::Case& c : convolution::cases) {
    const auto prepared = [=](const auto& f) {
      return [x = operand({c.images, c.channels, c.side, c.side}, 1),
              w = operand({c.out_channels, c.channels / c.groups, c.kernel, c.kernel}, 2),
              g = operand({c.images, c.out_channels, c.out_side(), c.out_side()}, 3), c, f] { f(c, x, w, g); };
    };
    add(c.row(convolution::result), "libtorch", [=]() -> std::function<void()> {
      return prepared([](const auto& of, const at::Tensor& x, const at::Tensor& w, const at::Tensor&) {
        benchmark::DoNotOptimize(
            at::conv2d(x, w, {}, {of.stride, of.stride}, {of.padding(), of.padding()}, {1, 1}, of.groups).data_ptr());
      });
    });
    for (const bool of_images : {true, false}) {
      add(c.row(of_images ? convolution::image_gradient : convolution::weight_gradient), "libtorch",
          [=]() -> std::function<void()> {
            return prepared([=](const auto& of, const at::Tensor& x, const at::Tensor& w, const at::Tensor& g) {
              const std::array<bool, 3> wanted{of_images, !of_images, false};
              const auto all = at::convolution_backward(g, x, w, at::OptionalIntArrayRef(), {of.stride, of.stride},
                                                        {of.padding(), of.padding()}, {1, 1}, false, {0, 0}, of.groups,
                                                        wanted);
              benchmark::DoNotOptimize((of_images ? std::get<0>(all) : std::get<1>(all)).data_ptr());
            });
          });
    }
  }
}

}  // namespace rows
