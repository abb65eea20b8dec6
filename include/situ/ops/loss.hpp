// SPDX-License-Identifier: Apache-2.0
// Losses: `mse_loss huber_loss bce_loss bce_with_logits_loss`. Each is a mean, of rank 0. Classification losses are in
// class_loss.hpp.
#pragma once

#include <string>

#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/loss.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/unary.hpp>

namespace situ {

namespace internal {

/// Throws `ShapeError` if the operands of a loss are tensors of different shapes: broadcasting (n, 1) and (n,) would
/// average n * n differences, and no error would show it.
template <class A, class B>
void require_equal_shapes(const A& a, const B& b, const char* loss) {
  if constexpr (!ScalarOperand<A> && !ScalarOperand<B>) {
    if (a.shape() == b.shape()) return;
    throw ShapeError(std::string(loss) + ": shapes " + a.shape().to_string() + " and " + b.shape().to_string() +
                     "; a loss does not broadcast, make them equal with reshape, squeeze or unsqueeze");
  }
}

/// Operands of a loss by elements; distributed/loss.hpp says which spread values are.
template <class F, class A, class B>
inline constexpr bool loss_takes = Operands<A, B> && OperandsOf<F, A, B> && FloatingElement<common_element_t<A, B>>;

}  // namespace internal

/// The mean of the squared differences, in one pass, of two operands of one shape (else `ShapeError`), or an operand
/// and a scalar.
///
///     float loss = mse_loss(prediction, target).item();
template <class A, class B>
  requires internal::loss_takes<internal::functional::Subtract, A, B>
[[nodiscard]] auto mse_loss(const A& a, const B& b) {
  internal::require_equal_shapes(a, b, "mse_loss");
  return mean(square(a - b));
}
template <class D>
on_device<D> mse_loss(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> mse_loss(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The mean of `d^2 / 2` where the distance d is at most `delta`, and of `delta * (d - delta / 2)` elsewhere, which
/// limits the gradient of outliers. In one pass. Throws `ShapeError` for shapes that differ, `ValueError` unless
/// `delta` is positive.
template <class A, class B>
  requires internal::loss_takes<internal::functional::Huber, A, B>
[[nodiscard]] auto huber_loss(const A& a, const B& b, double delta = 1) {
  internal::require_equal_shapes(a, b, "huber_loss");
  if (!(delta > 0)) throw ValueError("huber_loss: delta is " + std::to_string(delta) + "; it must be above 0");
  return mean(internal::make_map(internal::functional::Huber{{}, delta}, a, b));
}
template <class D>
on_device<D> huber_loss(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                        double = 0);
template <class T, class D>
placed<T, D> huber_loss(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>,
                        double = 0);

/// The mean binary cross entropy of probabilities `p` and targets `y`, both in [0, 1]:
/// `-(y log(p) + (1 - y) log(1 - p))`, with logarithms clamped to at least -100, so that a certain but wrong prediction
/// costs 100, as in PyTorch. In one pass. Throws `ShapeError` for shapes that differ. After a `sigmoid`,
/// `bce_with_logits_loss` is exact.
template <class A, class B>
  requires internal::loss_takes<internal::functional::BinaryCrossEntropy, A, B>
[[nodiscard]] auto bce_loss(const A& p, const B& y) {
  internal::require_equal_shapes(p, y, "bce_loss");
  return mean(internal::make_map(internal::functional::BinaryCrossEntropy{}, p, y));
}
template <class D>
on_device<D> bce_loss(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> bce_loss(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// `bce_loss(sigmoid(logits), y)`, computed from the logits: it neither overflows nor loses digits.
///
///     Variable loss = bce_with_logits_loss(matmul(x, w) + b, y);
template <class A, class B>
  requires internal::loss_takes<internal::functional::BinaryCrossEntropyWithLogits, A, B>
[[nodiscard]] auto bce_with_logits_loss(const A& logits, const B& y) {
  internal::require_equal_shapes(logits, y, "bce_with_logits_loss");
  return mean(internal::make_map(internal::functional::BinaryCrossEntropyWithLogits{}, logits, y));
}
template <class D>
on_device<D> bce_with_logits_loss(const on_device<D>&,
                                  typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> bce_with_logits_loss(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
