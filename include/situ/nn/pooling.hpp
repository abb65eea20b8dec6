// SPDX-License-Identifier: Apache-2.0
// `nn::MaxPool2d` and `nn::AvgPool2d`. They have no parameters, live nowhere, and take images of any device.
#pragma once

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/nn/activation.hpp>
#include <situ/ops/pooling.hpp>
#include <situ/plan/window.hpp>

namespace situ::nn {

/// `situ::max_pool2d` as a layer. The stride is the kernel, unless it is given.
///
///     nn::MaxPool2d pool(2);
///     nn::MaxPool2d overlapping(3, {.stride = 2, .padding = 1});
struct MaxPool2d {
  Size2d kernel;
  MaxPool2dOptions options;

  explicit MaxPool2d(Size2d size, MaxPool2dOptions how = {}) : kernel(size), options(how) {}

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return max_pool2d(autograd::as_variable(x), kernel, options);
  }
};

/// `situ::avg_pool2d` as a layer.
struct AvgPool2d {
  Size2d kernel;
  AvgPool2dOptions options;

  explicit AvgPool2d(Size2d size, AvgPool2dOptions how = {}) : kernel(size), options(how) {}

  template <FloatingTensor X>
  [[nodiscard]] detail::output_t<X> operator()(const X& x) const {
    return avg_pool2d(autograd::as_variable(x), kernel, options);
  }
};

}  // namespace situ::nn
