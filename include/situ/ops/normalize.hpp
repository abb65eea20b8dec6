// SPDX-License-Identifier: Apache-2.0
// Normalizations: `layer_norm`, and the computation of the layer nn::BatchNorm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/as_elements.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/last_axis.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/ops/variance.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/softmax.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The parameter of a layer normalization, contiguous; throws `ShapeError` unless it has one element for each column.
template <class X>
[[nodiscard]] auto layer_parameter(const X& parameter, const Shape& shape, const char* which) {
  if (!(parameter.shape() == Shape{shape[-1]})) {
    throw ShapeError(std::string("layer_norm: ") + which + " has shape " + parameter.shape().to_string() +
                     ", but x of shape " + shape.to_string() + " needs " + Shape{shape[-1]}.to_string());
  }
  return contiguous(parameter);
}

}  // namespace internal

namespace internal::operation {

struct LayerNorm {
  double epsilon;

  template <FloatingTensor X, TensorLike W, TensorLike B>
  [[nodiscard]] tensor_of_t<X> operator()(const X& x, const W& weight, const B& bias) const {
    using T = value_type_t<X>;
    const Shape shape = x.shape();
    static_cast<void>(normalize_axis(-1, shape.rank(), "layer_norm"));
    const auto scale = layer_parameter(weight, shape, "weight");
    const auto offset = layer_parameter(bias, shape, "bias");
    if (shape.count() == 0) return eval(x);
    constexpr bool has_kernel = NormalizesLayers<backend_t<device_t<X>>, T>;
    return map_rows<LayerNorm, has_kernel>(
        x,
        [&](auto backend, const program::Rows& rows, const T* in, T* out) {
          layer_norm_along_rows(backend, rows, in, epsilon, scale.element_pointer(), offset.element_pointer(), out);
        },
        scale, offset);
  }

  static constexpr bool shares_work = true;
  template <std::size_t At>
  static constexpr unsigned gradient_reads = At == 0   ? reads::operand<0> | reads::operand<1>
                                             : At == 1 ? reads::operand<0>
                                                       : reads::nothing;

  /// In `float` or wider. With the normalized rows h and u = g weight, the gradient of x is (u - mean(u) - h mean(u h))
  /// / deviation.
  template <Element T, Device D>
  [[nodiscard]] std::array<Tensor<T, D>, 3> gradients(const std::array<bool, 3>& wanted, const Tensor<T, D>& g,
                                                      const Tensor<T, D>& x, const Tensor<T, D>& weight,
                                                      const Shape& bias) const {
    using W = compute_t<T>;
    if (g.size() == 0) return {zeros<T>(g.shape(), D{}), zeros<T>(bias, D{}), zeros<T>(bias, D{})};
    std::array<Tensor<T, D>, 3> result;
    if (wanted[2]) result[2] = sum_to(g, bias);
    if (!wanted[0] && !wanted[1]) return result;
    const Tensor<W, D> center = mean(as_elements<W>(x), -1, keepdims);
    const Tensor<W, D> factor = rsqrt(var(as_elements<W>(x), -1, keepdims) + epsilon);
    const auto normal = (as_elements<W>(x) - center) * factor;
    if (wanted[1]) result[1] = as_elements<T>(sum_to(as_elements<W>(g) * normal, bias));
    if (!wanted[0]) return result;
    const auto scaled = as_elements<W>(g) * as_elements<W>(weight);
    const Tensor<W, D> level = mean(scaled, -1, keepdims);
    const Tensor<W, D> slope = mean(scaled * normal, -1, keepdims);
    result[0] = as_elements<T>(factor * (scaled - level - normal * slope));
    return result;
  }
};

}  // namespace internal::operation

/// `(x - mean) / sqrt(var + epsilon) * weight + bias` along the last axis, of n elements, for `weight` and `bias` of
/// shape (n); along several last axes together if these have their extents. The variance divides by n. Throws
/// `ShapeError` for other shapes. Ba, Kiros, Hinton, "Layer Normalization", 2016.
///
///     Tensor y = layer_norm(x, ones<float>({64}), zeros<float>({64}));
template <FloatingTensor X, class W, class B>
  requires Operands<X, W, B> && TensorLike<W> && TensorLike<B>
[[nodiscard]] applied_t<X, W, B> layer_norm(const X& x, const W& weight, const B& bias, double epsilon = 1e-5) {
  const Shape shape = x.shape();
  const Shape normalized = weight.shape();
  if (normalized.rank() < 2) return internal::apply(internal::operation::LayerNorm{epsilon}, x, weight, bias);
  bool fits = normalized.rank() <= shape.rank() && bias.shape() == normalized;
  Shape rows;
  for (int axis = 0; fits && axis < shape.rank(); ++axis) {
    const int from_back = axis - shape.rank();
    if (from_back < -normalized.rank()) rows.push_back(shape[axis]);
    else fits = shape[axis] == normalized[from_back];
  }
  if (!fits) {
    throw ShapeError("layer_norm: weight has shape " + normalized.to_string() + " and bias " +
                     bias.shape().to_string() + "; both need the last extents of x, of shape " + shape.to_string());
  }
  rows.push_back(normalized.count());
  return reshape(layer_norm(reshape(x, rows), flatten(weight), flatten(bias), epsilon), shape);
}
Tensor<float, Cpu> layer_norm(layer_norm_takes_a_weight_and_a_bias::fix_write_ones_and_zeros, const Shape&, double = 0);
template <class D, class B>
on_device<D> layer_norm(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                        const B&, double = 0);
template <class D, class W>
on_device<D> layer_norm(const on_device<D>&, const W&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, double = 0);
template <class T, class D, class B>
placed<T, D> layer_norm(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>, const B&,
                        double = 0);
template <class T, class D, class W>
placed<T, D> layer_norm(const placed<T, D>&, const W&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                        double = 0);

namespace internal {

/// (n, channels, ...) as (n, channels, positions).
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> channels_apart(const Tensor<T, D>& x) {
  const Shape& shape = x.shape();
  return reshape(x, {shape[0], shape[1], shape.count(2, shape.rank())});
}

namespace operation {

/// `(x - center) * factor * weight + bias` for each channel, axis 1, in elements `W`, `float` or wider: the layer
/// nn::BatchNorm. `of_batch`: center and factor are computed from x itself, and the gradient includes that.
template <Element W, Device D>
struct BatchNorm {
  Tensor<W, D> center, factor;  // (1, channels, 1)
  bool of_batch;

  template <Element T>
  [[nodiscard]] Tensor<T, D> operator()(const Tensor<T, D>& x, const Tensor<T, D>& weight,
                                        const Tensor<T, D>& bias) const {
    const Tensor<T, D> y = as_elements<T>((as_elements<W>(channels_apart(x)) - center) * factor *
                                              as_elements<W>(reshape(weight, center.shape())) +
                                          as_elements<W>(reshape(bias, center.shape())));
    return reshape(y, x.shape());
  }

  static constexpr bool shares_work = true;
  template <std::size_t At>
  static constexpr unsigned gradient_reads = At == 0   ? reads::operand<0> | reads::operand<1>
                                             : At == 1 ? reads::operand<0>
                                                       : reads::nothing;

  /// With the normalized elements h, the gradient of x is factor * weight * (g - mean(g) - h mean(g h)), means over a
  /// channel; without the last two terms if the statistics were not those of the batch.
  template <Element T>
  [[nodiscard]] std::array<Tensor<T, D>, 3> gradients(const std::array<bool, 3>& wanted, const Tensor<T, D>& gradient,
                                                      const Tensor<T, D>& x, const Tensor<T, D>& weight,
                                                      const Shape& bias) const {
    std::array<Tensor<T, D>, 3> result;
    const Tensor<T, D> g = channels_apart(gradient);
    const bool through_statistics = wanted[0] && of_batch;
    Tensor<W, D> total, along;
    if (wanted[2] || through_statistics) total = sum(as_elements<W>(g), {0, 2}, keepdims);
    if (wanted[2]) result[2] = reshape(eval(as_elements<T>(total)), bias);
    if (!wanted[0] && !wanted[1]) return result;
    const auto normal = (as_elements<W>(channels_apart(x)) - center) * factor;
    if (wanted[1] || through_statistics) along = sum(as_elements<W>(g) * normal, {0, 2}, keepdims);
    if (wanted[1]) result[1] = reshape(eval(as_elements<T>(along)), bias);
    if (!wanted[0]) return result;
    const Tensor<W, D> slope = factor * as_elements<W>(reshape(weight, center.shape()));
    if (of_batch) {
      const double each = 1.0 / (static_cast<double>(g.extent(0)) * static_cast<double>(g.extent(2)));
      const auto all = slope * (as_elements<W>(g) - (total + normal * along) * each);
      result[0] = reshape(eval(as_elements<T>(all)), gradient.shape());
    } else {
      result[0] = reshape(eval(as_elements<T>(slope * as_elements<W>(g))), gradient.shape());
    }
    return result;
  }
};

}  // namespace operation

}  // namespace internal

}  // namespace situ
