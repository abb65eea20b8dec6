// SPDX-License-Identifier: Apache-2.0
// `nn::Linear`: a product with a weight, plus a bias.
#pragma once

#include <cstdint>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/nn/check_positive.hpp>
#include <situ/nn/init.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/linear.hpp>

namespace situ::nn {

struct LinearOptions {
  bool bias = true;
};

/// `x W^T + b`: x has shape (..., in), the result (..., out). Parameters `weight` (out, in) and `bias` (out), uniform
/// on [-b, b) with b = 1 / sqrt(in), as in PyTorch. Throws `ValueError` for sizes that are not positive, and
/// `ShapeError` for an input of another size.
///
///     nn::Linear layer(784, 256, gpu<0>, generator);          // Linear<float, Cuda<0>>
///     nn::Linear<double> plain(784, 256, {.bias = false});    // drawn from the process's own generator
///     Variable y = layer(x);
template <FloatingElement T = float, Device D = Cpu>
class Linear : public Module<Linear<T, D>>, private detail::InputGuards<T, D> {
 public:
  using value_type = T;
  using device_type = D;

  Variable<T, D> weight;
  Variable<T, D> bias;  // empty, of shape (0,), without one

  /// Without features, to be filled.
  Linear() = default;
  Linear(std::int64_t in, std::int64_t out, D where, RandomSource source = {}) : Linear(in, out, {}, where, source) {}
  Linear(std::int64_t in, std::int64_t out, RandomSource source) : Linear(in, out, {}, D{}, source) {}
  Linear(std::int64_t in, std::int64_t out, LinearOptions options, RandomSource source)
      : Linear(in, out, options, D{}, source) {}
  Linear(std::int64_t in, std::int64_t out, LinearOptions options = {}, D = {}, RandomSource source = {}) {
    detail::check_positive(in, "Linear", "the number of inputs");
    detail::check_positive(out, "Linear", "the number of outputs");
    const double bound = detail::layer_bound(static_cast<double>(in));
    weight = Variable<T, D>(detail::uniform<T, D>({out, in}, bound, source));
    if (options.bias) bias = Variable<T, D>(detail::uniform<T, D>({out}, bound, source));
  }

  using detail::InputGuards<T, D>::operator();
  /// With an activation, computed in the same pass if the device has a kernel for it.
  template <detail::InputOf<T, D> X>
  [[nodiscard]] Variable<T, D> operator()(const X& x, Activation activation = Activation::none) const {
    const Variable<T, D> in = autograd::as_variable(x);
    return has_bias() ? linear(in, weight, bias, activation) : linear(in, weight, activation);
  }

  /// Whether there is a bias.
  [[nodiscard]] bool has_bias() const noexcept { return !detail::is_absent(bias); }

  static constexpr auto members() { return nn::members("weight", &Linear::weight, "bias", &Linear::bias); }
};

}  // namespace situ::nn
