// SPDX-License-Identifier: Apache-2.0
// `nn::BatchNorm`: normalizes every channel by its mean and variance over the batch.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/operators.hpp>
#include <situ/nn/check_positive.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/normalize.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/ops/variance.hpp>

namespace situ::nn {

struct BatchNormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;  // weight of a batch in the running statistics
  bool affine = true;     // whether there are a weight and a bias
};

/// `(x - mean) / sqrt(var + epsilon) * weight + bias` for each channel, axis 1 of an input of shape (n, channels, ...):
/// PyTorch's BatchNorm1d, 2d and 3d. Ioffe and Szegedy 2015. In training, mean and variance are those of the batch, the
/// variance dividing by the number of elements; and `running_mean` and `running_var` are updated (the latter with the
/// unbiased variance) by `running = (1 - momentum) running + momentum new`. After `eval()` the running statistics are
/// used. Parameters `weight`, initially 1, and `bias`, initially 0; buffers `running_mean`, `running_var` and
/// `num_batches_tracked`. Throws `ShapeError` for another number of channels, `ValueError` in training for a single
/// element per channel.
///
///     nn::BatchNorm norm(16);
///     Variable y = norm(x);                  // in training: changes norm
template <FloatingElement T = float, Device D = Cpu>
class BatchNorm : public Module<BatchNorm<T, D>>, private detail::InputGuards<T, D> {
  using W = compute_t<T>;

 public:
  using value_type = T;
  using device_type = D;

  Variable<T, D> weight, bias;  // empty, of shape (0,), without them
  Tensor<T, D> running_mean, running_var;
  Tensor<std::int64_t, D> num_batches_tracked;
  double epsilon = 1e-5;
  double momentum = 0.1;
  bool training = true;

  /// Without channels, to be filled.
  BatchNorm() = default;
  BatchNorm(std::int64_t channels, D where) : BatchNorm(channels, {}, where) {}
  explicit BatchNorm(std::int64_t channels, BatchNormOptions options = {}, D where = {})
      : epsilon(options.epsilon), momentum(options.momentum) {
    detail::check_positive(channels, "BatchNorm", "the number of channels");
    running_mean = zeros<T>({channels}, where);
    running_var = ones<T>({channels}, where);
    num_batches_tracked = zeros<std::int64_t>({}, where);
    if (!options.affine) return;
    weight = Variable<T, D>(ones<T>({channels}, where));
    bias = Variable<T, D>(zeros<T>({channels}, where));
  }

  using detail::InputGuards<T, D>::operator();
  template <detail::InputOf<T, D> X>
  [[nodiscard]] Variable<T, D> operator()(const X& x) {
    const Variable<T, D> in = autograd::as_variable(x);
    if (!training) return normalized(in);
    check(in.shape());
    const Tensor<T, D> rows = situ::internal::channels_apart(in.value());
    const std::int64_t count = situ::internal::product_of_extents(rows.extent(0), rows.extent(2), "BatchNorm");
    if (count < 2) {
      throw ValueError("BatchNorm: an input of shape " + in.shape().to_string() +
                       " has fewer than two elements in a channel, which have no unbiased variance; give a larger "
                       "batch, or call eval()");
    }
    const Tensor<W, D> center = mean(cast<W>(rows), {0, 2}, keepdims);
    const Tensor<W, D> variance = var(cast<W>(rows), {0, 2}, keepdims);
    Variable<T, D> result = normalized(in, center, variance, true);
    const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
    const Shape channels = running_mean.shape();
    // all are computed before any is changed: if memory runs out, the layer is unchanged
    Tensor<T, D> next_mean = cast<T>(cast<W>(running_mean) * (1 - momentum) + reshape(center, channels) * momentum);
    Tensor<T, D> next_var =
        cast<T>(cast<W>(running_var) * (1 - momentum) + reshape(variance, channels) * (momentum * unbiased));
    Tensor<std::int64_t, D> next_count = num_batches_tracked + 1;
    running_mean = std::move(next_mean);
    running_var = std::move(next_var);
    num_batches_tracked = std::move(next_count);
    return result;
  }
  /// Throws `ValueError` in training, which would change the layer.
  template <detail::InputOf<T, D> X>
  [[nodiscard]] Variable<T, D> operator()(const X& x) const {
    if (training) {
      throw ValueError(
          "BatchNorm: a const layer in training cannot change its running statistics; call eval(), or call "
          "the layer where it is not const");
    }
    return normalized(autograd::as_variable(x));
  }

  /// Whether there are a weight and a bias.
  [[nodiscard]] bool has_bias() const noexcept { return !detail::is_absent(bias); }

  static constexpr auto members() {
    return nn::members("weight", &BatchNorm::weight, "bias", &BatchNorm::bias, "running_mean", &BatchNorm::running_mean,
                       "running_var", &BatchNorm::running_var, "num_batches_tracked", &BatchNorm::num_batches_tracked,
                       "epsilon", &BatchNorm::epsilon, "momentum", &BatchNorm::momentum, "training",
                       &BatchNorm::training);
  }

 private:
  void check(const Shape& shape) const {
    if (shape.rank() >= 2 && shape[1] == running_mean.size()) return;
    throw ShapeError("BatchNorm: an input of shape " + shape.to_string() + "; it must be (n, " +
                     std::to_string(running_mean.size()) + ", ...), with the channels as axis 1");
  }

  /// Normalizes by the running statistics.
  [[nodiscard]] Variable<T, D> normalized(const Variable<T, D>& in) const {
    check(in.shape());
    const Shape channel{1, running_mean.size(), 1};
    return normalized(in, reshape(eval(cast<W>(running_mean)), channel), reshape(eval(cast<W>(running_var)), channel),
                      false);
  }

  [[nodiscard]] Variable<T, D> normalized(const Variable<T, D>& in, const Tensor<W, D>& center,
                                          const Tensor<W, D>& variance, bool of_batch) const {
    const std::int64_t channels = in.shape()[1];
    const Variable<T, D> scale = has_bias() ? weight : situ::constant(ones<T>({channels}, D{}));
    const Variable<T, D> offset = has_bias() ? bias : situ::constant(zeros<T>({channels}, D{}));
    const Tensor<W, D> factor = rsqrt(variance + epsilon);
    return situ::internal::apply(situ::internal::operation::BatchNorm<W, D>{center, factor, of_batch}, in, scale,
                                 offset);
  }
};

}  // namespace situ::nn
