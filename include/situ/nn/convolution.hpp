// SPDX-License-Identifier: Apache-2.0
// `nn::Conv2d`: the convolution of images.
#pragma once

#include <cstdint>
#include <string>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/nn/init.hpp>
#include <situ/nn/linear.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/convolution.hpp>

namespace situ::nn {

/// As `situ::Conv2dOptions`, and whether there is a bias.
struct Conv2dOptions {
  Size2d stride = 1;
  Size2d padding = 0;
  Size2d dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};

/// A convolution: images (n, in, height, width) or (in, height, width) become (n, out, ...), see `situ::conv2d`.
/// Parameters `weight` (out, in / groups, kernel height, kernel width) and `bias` (out), uniform on [-b, b) with
/// b = 1 / sqrt(in / groups * kernel size), as in PyTorch. Throws `ValueError` for channels that are not positive or
/// that the groups do not divide.
///
///     nn::Conv2d layer(3, 16, 5);                                          // a kernel of 5 x 5
///     nn::Conv2d wide(3, 16, {3, 5}, {.stride = 2, .padding = {1, 2}}, gpu<0>, generator);
template <FloatingElement T = float, Device D = Cpu>
class Conv2d : public Module<Conv2d<T, D>>, private detail::InputGuards<T, D> {
 public:
  using value_type = T;
  using device_type = D;

  Variable<T, D> weight;
  Variable<T, D> bias;  // empty, of shape (0,), without one
  situ::Conv2dOptions options = {};

  /// Of no channels, to be filled.
  Conv2d() = default;
  Conv2d(std::int64_t in, std::int64_t out, Size2d kernel, D where, RandomSource source = {})
      : Conv2d(in, out, kernel, {}, where, source) {}
  Conv2d(std::int64_t in, std::int64_t out, Size2d kernel, RandomSource source)
      : Conv2d(in, out, kernel, {}, D{}, source) {}
  Conv2d(std::int64_t in, std::int64_t out, Size2d kernel, Conv2dOptions how, RandomSource source)
      : Conv2d(in, out, kernel, how, D{}, source) {}
  Conv2d(std::int64_t in, std::int64_t out, Size2d kernel, Conv2dOptions how = {}, D = {}, RandomSource source = {})
      : options{.stride = how.stride, .padding = how.padding, .dilation = how.dilation, .groups = how.groups} {
    detail::check_positive(in, "Conv2d", "the number of input channels");
    detail::check_positive(out, "Conv2d", "the number of output channels");
    detail::check_positive(kernel.height, "Conv2d", "the height of the kernel");
    detail::check_positive(kernel.width, "Conv2d", "the width of the kernel");
    detail::check_positive(how.groups, "Conv2d", "the number of groups");
    if (in % how.groups != 0 || out % how.groups != 0) {
      throw ValueError("Conv2d: " + std::to_string(in) + " and " + std::to_string(out) +
                       " channels cannot be shared by " + std::to_string(how.groups) +
                       " groups; both must be multiples of it");
    }
    const Shape shape{out, in / how.groups, kernel.height, kernel.width};
    const double bound = detail::layer_bound(detail::fans_of(shape).in);
    weight = Variable<T, D>(detail::uniform<T, D>(shape, bound, source));
    if (how.bias) bias = Variable<T, D>(detail::uniform<T, D>({out}, bound, source));
  }

  using detail::InputGuards<T, D>::operator();
  template <detail::InputOf<T, D> X>
  [[nodiscard]] Variable<T, D> operator()(const X& x) const {
    const Variable<T, D> in = autograd::as_variable(x);
    return has_bias() ? conv2d(in, weight, bias, options) : conv2d(in, weight, options);
  }

  /// Whether there is a bias.
  [[nodiscard]] bool has_bias() const noexcept { return !detail::is_absent(bias); }

  static constexpr auto members() {
    return nn::members("weight", &Conv2d::weight, "bias", &Conv2d::bias, "options", &Conv2d::options);
  }
};

}  // namespace situ::nn
