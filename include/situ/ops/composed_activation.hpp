// SPDX-License-Identifier: Apache-2.0
// Activation functions composed of other functions: `celu hardsigmoid hardswish hardtanh mish prelu softsign`. Lazy,
// one pass, for floating elements; names, parameters and defaults are PyTorch's.
#pragma once

#include <cstdint>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/activation.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/unary.hpp>

namespace situ {

namespace internal::operation {

struct Celu : functional::OfFloating<Celu> {};
struct Hardsigmoid : functional::OfFloating<Hardsigmoid> {};
struct Hardswish : functional::OfFloating<Hardswish> {};
struct Hardtanh : functional::OfFloating<Hardtanh> {};
struct Mish : functional::OfFloating<Mish> {};
struct Prelu : functional::OfFloating<Prelu> {};
struct Softsign : functional::OfFloating<Softsign> {};

}  // namespace internal::operation

/// `x` above 0, `alpha * (exp(x / alpha) - 1)` below; its slope is continuous at 0 (Barron 2017). Throws `ValueError`
/// unless alpha is positive.
template <class X>
  requires OperandsOf<internal::operation::Celu, X>
[[nodiscard]] auto celu(const X& x, double alpha = 1.0) {
  if (!(alpha > 0)) throw ValueError("celu: alpha is " + internal::number_text(alpha) + "; it must be above 0");
  return maximum(x, 0) + alpha * expm1(minimum(x / alpha, 0));
}
Tensor<float, Cpu> celu(operation_undefined_for_elements<internal::operation::Celu>::fix_call_cast, double = 0);

/// `x / 6 + 1 / 2`, clamped to [0, 1].
template <class X>
  requires OperandsOf<internal::operation::Hardsigmoid, X>
[[nodiscard]] auto hardsigmoid(const X& x) {
  return clamp(x + 3, 0, 6) / 6;
}
Tensor<float, Cpu> hardsigmoid(operation_undefined_for_elements<internal::operation::Hardsigmoid>::fix_call_cast);

/// `x * hardsigmoid(x)` (Howard et al. 2019).
template <class X>
  requires OperandsOf<internal::operation::Hardswish, X>
[[nodiscard]] auto hardswish(const X& x) {
  return x * hardsigmoid(x);
}
Tensor<float, Cpu> hardswish(operation_undefined_for_elements<internal::operation::Hardswish>::fix_call_cast);

/// `x`, clamped to [low, high].
template <class X>
  requires OperandsOf<internal::operation::Hardtanh, X>
[[nodiscard]] auto hardtanh(const X& x, double low = -1.0, double high = 1.0) {
  if (!(low <= high)) {
    throw ValueError("hardtanh: the limits are " + internal::number_text(low) + " and " + internal::number_text(high) +
                     "; the first must not be above the second");
  }
  return clamp(x, low, high);
}
Tensor<float, Cpu> hardtanh(operation_undefined_for_elements<internal::operation::Hardtanh>::fix_call_cast, double = 0,
                            double = 0);

/// `x * tanh(softplus(x))` (Misra 2019).
template <class X>
  requires OperandsOf<internal::operation::Mish, X>
[[nodiscard]] auto mish(const X& x) {
  return x * tanh(softplus(x));
}
Tensor<float, Cpu> mish(operation_undefined_for_elements<internal::operation::Mish>::fix_call_cast);

/// `x / (1 + |x|)`.
template <class X>
  requires OperandsOf<internal::operation::Softsign, X>
[[nodiscard]] auto softsign(const X& x) {
  return x / (1 + abs(x));
}
Tensor<float, Cpu> softsign(operation_undefined_for_elements<internal::operation::Softsign>::fix_call_cast);

/// `x` above 0, `weight * x` below, with a learned weight (He et al. 2015): one, or one for each position of axis 1,
/// the channels. Throws `ShapeError` for another number of weights.
///
///     Variable slope(full({64}, 0.25f));
///     Variable y = prelu(features, slope);       // (n, 64, h, w)
template <FloatingTensor X, class W>
  requires internal::agrees<W, value_type_t<X>, device_t<X>> && TensorLike<W>
[[nodiscard]] auto prelu(const X& x, const W& weight) {
  const Shape& shape = x.shape();
  const std::int64_t channels = shape.rank() > 1 ? shape[1] : 1;
  const std::int64_t weights = weight.shape().count();
  if (weight.shape().rank() > 1 || (weights != 1 && weights != channels)) {
    throw ShapeError("prelu: a weight of shape " + weight.shape().to_string() + " for x of shape " + shape.to_string() +
                     "; it must have 1 element, or " + std::to_string(channels) + ", one for each position of axis 1");
  }
  Shape along_channels;
  if (shape.rank() > 1) {
    along_channels = Shape{weights};
    for (int axis = 2; axis < shape.rank(); ++axis) along_channels.push_back(1);
  }
  return where(x > 0, x, reshape(weight, along_channels) * x);
}
template <class D>
on_device<D> prelu(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> prelu(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);
template <class D>
on_device<D> prelu(const on_device<D>&, the_weight_of_prelu_is_a_tensor::fix_call_leaky_relu_or_full);
template <Element T, Device D>
  requires(!FloatingElement<T>)
Tensor<T, D> prelu(const placed<T, D>&,
                   typename operation_undefined_for_elements<internal::operation::Prelu, T, D>::fix_call_cast);

}  // namespace situ
