// SPDX-License-Identifier: Apache-2.0
// `nn::MaxPool1d`, `nn::MaxPool2d`, `nn::MaxPool3d`, and the same for `AvgPool`. They have no parameters and no device,
// and take signals, images and volumes on any device.
#pragma once

#include <cstdint>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/nn/activation.hpp>
#include <situ/ops/pooling.hpp>
#include <situ/ops/windows1d.hpp>
#include <situ/ops/windows3d.hpp>
#include <situ/plan/window.hpp>

namespace situ::nn {

namespace detail {
/// A pooling layer, which computes `Layer::pooled(x, kernel, options)`.
template <class Layer, class Size, class Options>
struct Pooling {
  Size kernel;
  Options options;

  explicit Pooling(Size size, Options how = {}) : kernel(size), options(how) {}

  template <FloatingTensor X>
  [[nodiscard]] output_t<X> operator()(const X& x) const {
    return Layer::pooled(autograd::as_variable(x), kernel, options);
  }
};
}  // namespace detail

/// `situ::max_pool2d` as a layer. The stride defaults to the kernel.
///
///     nn::MaxPool2d pool(2);
///     nn::MaxPool2d overlapping(3, {.stride = 2, .padding = 1});
struct MaxPool2d : detail::Pooling<MaxPool2d, Size2d, MaxPool2dOptions> {
  using Pooling::Pooling;
  static auto pooled(const auto& x, Size2d size, const MaxPool2dOptions& how) { return max_pool2d(x, size, how); }
};
/// `situ::avg_pool2d` as a layer.
struct AvgPool2d : detail::Pooling<AvgPool2d, Size2d, AvgPool2dOptions> {
  using Pooling::Pooling;
  static auto pooled(const auto& x, Size2d size, const AvgPool2dOptions& how) { return avg_pool2d(x, size, how); }
};
/// `situ::max_pool1d` as a layer.
struct MaxPool1d : detail::Pooling<MaxPool1d, std::int64_t, MaxPool1dOptions> {
  using Pooling::Pooling;
  static auto pooled(const auto& x, std::int64_t size, const MaxPool1dOptions& how) { return max_pool1d(x, size, how); }
};
/// `situ::avg_pool1d` as a layer.
struct AvgPool1d : detail::Pooling<AvgPool1d, std::int64_t, AvgPool1dOptions> {
  using Pooling::Pooling;
  static auto pooled(const auto& x, std::int64_t size, const AvgPool1dOptions& how) { return avg_pool1d(x, size, how); }
};
/// `situ::max_pool3d` as a layer.
struct MaxPool3d : detail::Pooling<MaxPool3d, Size3d, MaxPool3dOptions> {
  using Pooling::Pooling;
  static auto pooled(const auto& x, const Size3d& size, const MaxPool3dOptions& how) {
    return max_pool3d(x, size, how);
  }
};
/// `situ::avg_pool3d` as a layer.
struct AvgPool3d : detail::Pooling<AvgPool3d, Size3d, AvgPool3dOptions> {
  using Pooling::Pooling;
  static auto pooled(const auto& x, const Size3d& size, const AvgPool3dOptions& how) {
    return avg_pool3d(x, size, how);
  }
};

}  // namespace situ::nn
