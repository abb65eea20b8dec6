// SPDX-License-Identifier: Apache-2.0
// `nn::Conv1d`, `nn::Conv2d` and `nn::Conv3d`: the convolutions of signals, images and volumes.
#pragma once

#include <cstdint>
#include <string>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/nn/check_positive.hpp>
#include <situ/nn/init.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/windows1d.hpp>
#include <situ/ops/windows3d.hpp>

namespace situ::nn {

/// As `situ::Conv2dOptions`, and whether there is a bias. Sizes are numbers for signals, `Size2d` for images, `Size3d`
/// for volumes.
template <class Size>
struct ConvolutionOptions {
  Size stride = 1;
  Size padding = 0;
  Size dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};
/// Options for signals.
using Conv1dOptions = ConvolutionOptions<std::int64_t>;
/// Options for images.
using Conv2dOptions = ConvolutionOptions<Size2d>;
/// Options for volumes.
using Conv3dOptions = ConvolutionOptions<Size3d>;

namespace detail {

/// The types of a convolution over this many axes.
template <int Axes>
struct ConvolutionOver;
template <>
struct ConvolutionOver<1> {
  static constexpr const char* name = "Conv1d";
  static constexpr const char* axes[] = {"length"};
  using Size = std::int64_t;
  using Options = situ::Conv1dOptions;
  [[nodiscard]] static Shape extents(Size kernel) { return {kernel}; }
  template <class... X>
  [[nodiscard]] static auto apply(const Options& options, const X&... x) {
    return conv1d(x..., options);
  }
};
template <>
struct ConvolutionOver<2> {
  static constexpr const char* name = "Conv2d";
  static constexpr const char* axes[] = {"height", "width"};
  using Size = Size2d;
  using Options = situ::Conv2dOptions;
  [[nodiscard]] static Shape extents(const Size& kernel) { return {kernel.height, kernel.width}; }
  template <class... X>
  [[nodiscard]] static auto apply(const Options& options, const X&... x) {
    return conv2d(x..., options);
  }
};
template <>
struct ConvolutionOver<3> {
  static constexpr const char* name = "Conv3d";
  static constexpr const char* axes[] = {"depth", "height", "width"};
  using Size = Size3d;
  using Options = situ::Conv3dOptions;
  [[nodiscard]] static Shape extents(const Size& kernel) { return {kernel.depth, kernel.height, kernel.width}; }
  template <class... X>
  [[nodiscard]] static auto apply(const Options& options, const X&... x) {
    return conv3d(x..., options);
  }
};

/// The layer `Layer`, over the last `Axes` axes of its input.
template <class Layer, int Axes, FloatingElement T, Device D>
class Convolution : public Module<Layer>, private InputGuards<T, D> {
  using Over = ConvolutionOver<Axes>;
  using Size = typename Over::Size;
  using How = ConvolutionOptions<Size>;

 public:
  using value_type = T;
  using device_type = D;

  Variable<T, D> weight;
  Variable<T, D> bias;  // empty, of shape (0,), without one
  typename Over::Options options = {};

  /// Without channels, to be filled.
  Convolution() = default;
  Convolution(std::int64_t in, std::int64_t out, const Size& kernel, D where, RandomSource source = {})
      : Convolution(in, out, kernel, How{}, where, source) {}
  Convolution(std::int64_t in, std::int64_t out, const Size& kernel, RandomSource source)
      : Convolution(in, out, kernel, How{}, D{}, source) {}
  Convolution(std::int64_t in, std::int64_t out, const Size& kernel, How how, RandomSource source)
      : Convolution(in, out, kernel, how, D{}, source) {}
  Convolution(std::int64_t in, std::int64_t out, const Size& kernel, How how = {}, D = {}, RandomSource source = {})
      : options{.stride = how.stride, .padding = how.padding, .dilation = how.dilation, .groups = how.groups} {
    const std::string name = Over::name;
    check_positive(in, Over::name, "the number of input channels");
    check_positive(out, Over::name, "the number of output channels");
    const Shape extents = Over::extents(kernel);
    for (int axis = 0; axis < Axes; ++axis)
      check_positive(extents[axis], Over::name, (std::string("the ") + Over::axes[axis] + " of the kernel").c_str());
    check_positive(how.groups, Over::name, "the number of groups");
    if (in % how.groups != 0 || out % how.groups != 0) {
      throw ValueError(name + ": " + std::to_string(in) + " and " + std::to_string(out) +
                       " channels cannot be shared by " + std::to_string(how.groups) +
                       " groups; both must be multiples of it");
    }
    Shape shape{out, in / how.groups};
    for (int axis = 0; axis < Axes; ++axis) shape.push_back(extents[axis]);
    const double bound = layer_bound(fans_of(shape).in);
    weight = Variable<T, D>(uniform<T, D>(shape, bound, source));
    if (how.bias) bias = Variable<T, D>(uniform<T, D>({out}, bound, source));
  }

  using InputGuards<T, D>::operator();
  template <InputOf<T, D> X>
  [[nodiscard]] Variable<T, D> operator()(const X& x) const {
    const Variable<T, D> in = autograd::as_variable(x);
    return has_bias() ? Over::apply(options, in, weight, bias) : Over::apply(options, in, weight);
  }

  /// Whether there is a bias.
  [[nodiscard]] bool has_bias() const noexcept { return !is_absent(bias); }

  static constexpr auto members() {
    return nn::members("weight", &Convolution::weight, "bias", &Convolution::bias, "options", &Convolution::options);
  }
};

}  // namespace detail

/// A convolution: images (n, in, height, width) or (in, height, width) become (n, out, ...), see `situ::conv2d`.
/// Parameters `weight` (out, in / groups, kernel height, kernel width) and `bias` (out), uniform on [-b, b) with b = 1
/// / sqrt(in / groups * kernel size), as in PyTorch. Throws `ValueError` for channels that are not positive or not
/// divisible by the groups.
///
///     nn::Conv2d layer(3, 16, 5);                                          // a kernel of 5 x 5
///     nn::Conv2d wide(3, 16, {3, 5}, {.stride = 2, .padding = {1, 2}}, gpu<0>, generator);
template <FloatingElement T = float, Device D = Cpu>
class Conv2d : public detail::Convolution<Conv2d<T, D>, 2, T, D> {
 public:
  using detail::Convolution<Conv2d, 2, T, D>::Convolution;
};

/// The same for signals, (n, in, length) or (in, length), see `situ::conv1d`. The weight is (out, in / groups, kernel).
///
///     nn::Conv1d layer(2, 8, 5, {.stride = 2});
template <FloatingElement T = float, Device D = Cpu>
class Conv1d : public detail::Convolution<Conv1d<T, D>, 1, T, D> {
 public:
  using detail::Convolution<Conv1d, 1, T, D>::Convolution;
};

/// The same for volumes, (n, in, depth, height, width) or (in, depth, height, width), see `situ::conv3d`.
///
///     nn::Conv3d layer(1, 8, {1, 3, 3}, {.padding = {0, 1, 1}});
template <FloatingElement T = float, Device D = Cpu>
class Conv3d : public detail::Convolution<Conv3d<T, D>, 3, T, D> {
 public:
  using detail::Convolution<Conv3d, 3, T, D>::Convolution;
};

// The arguments determine the device; the elements are `float`. (C++20 deduces nothing from inherited constructors.)
template <Device D = Cpu>
Conv1d(std::int64_t, std::int64_t, std::int64_t, Conv1dOptions = {}, D = {}, RandomSource = {}) -> Conv1d<float, D>;
template <Device D>
Conv1d(std::int64_t, std::int64_t, std::int64_t, D, RandomSource = {}) -> Conv1d<float, D>;
Conv1d(std::int64_t, std::int64_t, std::int64_t, RandomSource) -> Conv1d<float>;
Conv1d(std::int64_t, std::int64_t, std::int64_t, Conv1dOptions, RandomSource) -> Conv1d<float>;
template <Device D = Cpu>
Conv2d(std::int64_t, std::int64_t, Size2d, Conv2dOptions = {}, D = {}, RandomSource = {}) -> Conv2d<float, D>;
template <Device D>
Conv2d(std::int64_t, std::int64_t, Size2d, D, RandomSource = {}) -> Conv2d<float, D>;
Conv2d(std::int64_t, std::int64_t, Size2d, RandomSource) -> Conv2d<float>;
Conv2d(std::int64_t, std::int64_t, Size2d, Conv2dOptions, RandomSource) -> Conv2d<float>;
template <Device D = Cpu>
Conv3d(std::int64_t, std::int64_t, Size3d, Conv3dOptions = {}, D = {}, RandomSource = {}) -> Conv3d<float, D>;
template <Device D>
Conv3d(std::int64_t, std::int64_t, Size3d, D, RandomSource = {}) -> Conv3d<float, D>;
Conv3d(std::int64_t, std::int64_t, Size3d, RandomSource) -> Conv3d<float>;
Conv3d(std::int64_t, std::int64_t, Size3d, Conv3dOptions, RandomSource) -> Conv3d<float>;

}  // namespace situ::nn
