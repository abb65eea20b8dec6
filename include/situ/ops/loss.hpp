// SPDX-License-Identifier: Apache-2.0
// Losses: `cross_entropy mse_loss`.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/ops/composed.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/unary.hpp>

namespace situ {

namespace detail {

/// Throws `ShapeError` when the operands of a loss are tensors of different shapes: a mean over what broadcasting makes
/// of (n, 1) and (n,) is of n * n differences, and no error shows it.
template <class A, class B>
void require_equal_shapes(const A& a, const B& b, const char* loss) {
  if constexpr (!ScalarOperand<A> && !ScalarOperand<B>) {
    if (a.shape() == b.shape()) return;
    throw ShapeError(std::string(loss) + ": shapes " + a.shape().to_string() + " and " + b.shape().to_string() +
                     "; a loss does not broadcast, make them equal with reshape, squeeze or unsqueeze");
  }
}

}  // namespace detail

/// The mean over n examples of `-log_softmax(logits)` at each label. `logits` has shape (n, classes) and floating
/// elements, `labels` shape (n) and `int64` elements in [0, classes). Of no examples: NaN. Throws `ShapeError` for
/// other shapes, and `IndexError` for a label out of range: on a GPU, where looking would be a hidden wait, the loss is
/// NaN, and the next transfer to the host or `synchronize` throws.
///
///     float loss = cross_entropy(matmul(x, w) + b, y).item();
template <FloatingTensor X, class L>
  requires TensorLike<L> && std::same_as<value_type_t<L>, std::int64_t> && std::same_as<device_t<L>, device_t<X>>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> cross_entropy(const X& logits, const L& labels) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Shape shape = logits.shape();
  if (shape.rank() != 2 || !(labels.shape() == Shape{shape[0]})) {
    throw ShapeError("cross_entropy: logits of shape " + shape.to_string() + " and labels of shape " +
                     labels.shape().to_string() + "; they must be (n, classes) and (n,), which reshape or squeeze gives");
  }
  const Tensor<std::int64_t, D> index = contiguous(labels);
  Storage<D> storage;
  if constexpr (detail::HasRowKernels<T, D>) {
    const detail::RowOperand<T, D> in(eval(logits));
    storage = detail::allocate_elements<T, D>(Shape{shape[0]});
    on_backend<D>(
        [&](auto backend) {
          cross_entropy_along_rows(backend, Rows{shape[0], shape[1], in.rows.stride}, in.tensor.element_pointer(),
                                   index.element_pointer(), static_cast<T*>(storage.data()));
        },
        detail::writes(storage), detail::reads(in.tensor), detail::reads(index));
    return mean(Tensor<T, D>(std::move(storage), Layout::row_major(Shape{shape[0]})));
  } else {
    const Tensor<T, D> operand = eval(logits);
    const Tensor<std::int64_t, D> classes = arange<std::int64_t>(shape[1], D{});
    const Tensor<T, D> at_label = sum(where(index(all, newaxis) == classes, operand, T{}), 1);
    const auto known = index >= 0 && index < shape[1];
    return mean(where(known, logsumexp(operand, 1) - at_label,
                      static_cast<T>(std::numeric_limits<compute_t<T>>::quiet_NaN())));
  }
}
template <class D>
on_device<D> cross_entropy(const on_device<D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class D>
on_device<D> cross_entropy(const on_device<D>&, typename labels_are_not_int64<D>::fix_call_cast);

/// The mean of the squared differences, in one pass, of two operands of one shape (else `ShapeError`), or one and a scalar.
///
///     float loss = mse_loss(prediction, target).item();
template <class A, class B>
  requires OperandsOf<functional::Subtract, A, B> && FloatingElement<detail::common_element_t<A, B>>
[[nodiscard]] auto mse_loss(const A& a, const B& b) {
  detail::require_equal_shapes(a, b, "mse_loss");
  return mean(square(a - b));
}
template <class D>
on_device<D> mse_loss(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> mse_loss(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
