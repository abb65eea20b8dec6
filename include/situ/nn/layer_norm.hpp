// SPDX-License-Identifier: Apache-2.0
// `nn::LayerNorm`: normalizes every example by its own mean and variance.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/nn/check_positive.hpp>
#include <situ/nn/module.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>

namespace situ::nn {

struct LayerNormOptions {
  double epsilon = 1e-5;
  bool affine = true;  // whether there are a weight and a bias
};

/// `(x - mean) / sqrt(var + epsilon) * weight + bias` over the last axes, which must have the given shape, see
/// `situ::layer_norm`. The parameters `weight`, initially 1, and `bias`, initially 0, have that shape. Throws
/// `ShapeError` for an input with other last axes.
///
///     nn::LayerNorm norm(64);
///     nn::LayerNorm image(Shape{16, 8, 8}, {.epsilon = 1e-6}, gpu<0>);
template <FloatingElement T = float, Device D = Cpu>
class LayerNorm : public Module<LayerNorm<T, D>>, private detail::InputGuards<T, D> {
 public:
  using value_type = T;
  using device_type = D;

  Variable<T, D> weight, bias;  // empty, of shape (0,), without them
  Shape shape;                  // of the normalized axes
  double epsilon = 1e-5;

  /// Without features, to be filled.
  LayerNorm() = default;
  explicit LayerNorm(std::int64_t features, LayerNormOptions options = {}, D where = {})
      : LayerNorm(Shape{features}, options, where) {}
  LayerNorm(std::int64_t features, D where) : LayerNorm(Shape{features}, {}, where) {}
  LayerNorm(const Shape& axes, D where) : LayerNorm(axes, {}, where) {}
  explicit LayerNorm(const Shape& axes, LayerNormOptions options = {}, D where = {})
      : shape(axes), epsilon(options.epsilon) {
    detail::check_positive(axes.rank(), "LayerNorm", "the number of axes");
    for (const std::int64_t extent : axes) detail::check_positive(extent, "LayerNorm", "the number of features");
    if (!options.affine) return;
    weight = Variable<T, D>(ones<T>(axes, where));
    bias = Variable<T, D>(zeros<T>(axes, where));
  }

  using detail::InputGuards<T, D>::operator();
  template <detail::InputOf<T, D> X>
  [[nodiscard]] Variable<T, D> operator()(const X& x) const {
    const Variable<T, D> in = autograd::as_variable(x);
    check(in.shape());
    const Shape row{shape.count()};
    Shape rows = in.shape();  // the normalized axes as one
    for (int i = 1; i < shape.rank(); ++i) rows.erase(rows.rank() - 1);
    rows.set(rows.rank() - 1, row[0]);
    const Variable<T, D> scale = has_bias() ? weight : situ::constant(ones<T>(row, D{}));
    const Variable<T, D> offset = has_bias() ? bias : situ::constant(zeros<T>(row, D{}));
    if (shape.rank() == 1) return layer_norm(in, scale, offset, epsilon);
    return reshape(layer_norm(reshape(in, rows), reshape(scale, row), reshape(offset, row), epsilon), in.shape());
  }

  /// Whether there are a weight and a bias.
  [[nodiscard]] bool has_bias() const noexcept { return !detail::is_absent(bias); }

  static constexpr auto members() {
    return nn::members("weight", &LayerNorm::weight, "bias", &LayerNorm::bias, "shape", &LayerNorm::shape, "epsilon",
                       &LayerNorm::epsilon);
  }

 private:
  void check(const Shape& x) const {
    bool fits = shape.rank() > 0 && x.rank() >= shape.rank();
    for (int i = 1; fits && i <= shape.rank(); ++i) fits = x[-i] == shape[-i];
    if (fits) return;
    throw ShapeError("LayerNorm: an input of shape " + x.to_string() + "; its last axes must have the shape " +
                     shape.to_string());
  }
};

}  // namespace situ::nn
