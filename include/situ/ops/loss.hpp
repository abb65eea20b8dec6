// SPDX-License-Identifier: Apache-2.0
// Losses: `cross_entropy nll_loss mse_loss huber_loss bce_loss bce_with_logits_loss`. Each is a mean, of rank 0.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/formula/functional/loss.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/one_hot.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/rows.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/softmax.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/kernels.hpp>

namespace situ {

namespace internal {

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

inline void require_labels_of_rows(const Shape& rows, const Shape& labels, const char* loss, const char* what) {
  if (rows.rank() == 2 && labels == Shape{rows[0]}) return;
  throw ShapeError(std::string(loss) + ": " + what + " of shape " + rows.to_string() + " and labels of shape " +
                   labels.to_string() + "; they must be (n, classes) and (n,), which reshape or squeeze gives");
}

/// A tensor of labels beside `X`.
template <class L, class X>
concept LabelsFor =
    TensorLike<L> && std::same_as<value_type_t<L>, std::int64_t> && std::same_as<device_t<L>, device_t<X>>;

}  // namespace internal

namespace internal::operation {

template <Device D>
struct CrossEntropy {
  Tensor<std::int64_t, D> labels;  // adjacent

  template <FloatingTensor X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& logits) const {
    using T = value_type_t<X>;
    const Shape shape = logits.shape();
    const RowOperand<T, D> in(eval(logits));
    Storage<D> storage = allocate_elements<T, D>(Shape{shape[0]});
    call_kernel<D, kernels::CrossEntropy, CrossEntropies<backend_t<D>, T>>(
        [&](auto backend) {
          cross_entropy_along_rows(backend, program::Rows{shape[0], shape[1], in.rows.stride},
                                   in.tensor.element_pointer(), labels.element_pointer(),
                                   static_cast<T*>(storage.data()));
        },
        writes<T>(storage), internal::reads(in.tensor), internal::reads(labels));
    return mean(Tensor<T, D>(std::move(storage), Layout::row_major(Shape{shape[0]})));
  }

  static constexpr unsigned gradient_reads = reads::operand<0>;
  template <Element T>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& x) const {
    const Tensor<std::int64_t, D> classes = arange<std::int64_t>(x.extent(1), D{});
    const Tensor<T, D> probability = softmax(x, 1);
    const Tensor<T, D> each = g / static_cast<double>(x.extent(0));
    return where(labels(situ::all, newaxis) == classes, probability - 1, probability) * each;
  }
};

}  // namespace internal::operation

/// The mean over n examples of `-log_softmax(logits)` at each label. `logits` has shape (n, classes) and floating
/// elements, `labels` shape (n) and `int64` elements in [0, classes). Of no examples: NaN. Throws `ShapeError` for
/// other shapes, and `IndexError` for a label out of range: on a GPU, where looking would be a hidden wait, the loss is
/// NaN, and the next transfer to the host or `synchronize` throws.
///
///     float loss = cross_entropy(matmul(x, w) + b, y).item();
template <FloatingTensor X, class L>
  requires internal::LabelsFor<L, X>
[[nodiscard]] applied_t<X> cross_entropy(const X& logits, const L& labels) {
  internal::require_labels_of_rows(logits.shape(), labels.shape(), "cross_entropy", "logits");
  return internal::apply(internal::operation::CrossEntropy<device_t<X>>{contiguous(labels)}, logits);
}
template <class D>
on_device<D> cross_entropy(const on_device<D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class D>
on_device<D> cross_entropy(const on_device<D>&, typename labels_are_not_int64<D>::fix_call_cast);

/// The mean of the squared differences, in one pass, of two operands of one shape (else `ShapeError`), or one and a
/// scalar.
///
///     float loss = mse_loss(prediction, target).item();
template <class A, class B>
  requires OperandsOf<internal::functional::Subtract, A, B> && FloatingElement<internal::common_element_t<A, B>>
[[nodiscard]] auto mse_loss(const A& a, const B& b) {
  internal::require_equal_shapes(a, b, "mse_loss");
  return mean(square(a - b));
}
template <class D>
on_device<D> mse_loss(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> mse_loss(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// The mean over n examples of `-log_probabilities` at each label: behind a `log_softmax`, what `cross_entropy`
/// computes at once. Shapes, labels and errors are as there, but that on a GPU a label out of range counts 0.
///
///     Tensor loss = nll_loss(log_softmax(logits), labels);
template <FloatingTensor X, class L>
  requires internal::LabelsFor<L, X>
[[nodiscard]] auto nll_loss(const X& log_probabilities, const L& labels) {
  using T = value_type_t<X>;
  const Shape shape = log_probabilities.shape();
  internal::require_labels_of_rows(shape, labels.shape(), "nll_loss", "log_probabilities");
  return mean(sum(where(one_hot<bool>(labels, shape[1]), -log_probabilities, T(0)), 1));
}
template <class D>
on_device<D> nll_loss(const on_device<D>&,
                      typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class D>
on_device<D> nll_loss(const on_device<D>&, typename labels_are_not_int64<D>::fix_call_cast);

/// The mean of `d^2 / 2` where the distance d is at most `delta`, of `delta * (d - delta / 2)` elsewhere: outliers pull
/// no harder than that. In one pass. Throws `ShapeError` for shapes that differ, `ValueError` unless `delta` is above
/// 0.
template <class A, class B>
  requires OperandsOf<internal::functional::Huber, A, B>
[[nodiscard]] auto huber_loss(const A& a, const B& b, double delta = 1) {
  internal::require_equal_shapes(a, b, "huber_loss");
  if (!(delta > 0)) throw ValueError("huber_loss: delta is " + std::to_string(delta) + "; it must be above 0");
  return mean(internal::make_map(internal::functional::Huber{{}, delta}, a, b));
}
template <class D>
on_device<D> huber_loss(const on_device<D>&,
                        typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, double = 0);
template <class T, class D>
placed<T, D> huber_loss(const placed<T, D>&,
                        typename element_types_differ<T, D>::template fix_call_cast<T>, double = 0);

/// The mean binary cross entropy of probabilities `p` and what was true, `y`, both in [0, 1]:
/// `-(y log(p) + (1 - y) log(1 - p))`, with logarithms of at least -100, so that a wrong certainty costs 100, as in
/// PyTorch. In one pass. Throws `ShapeError` for shapes that differ. Behind a `sigmoid`, `bce_with_logits_loss` is
/// exact.
template <class A, class B>
  requires OperandsOf<internal::functional::BinaryCrossEntropy, A, B>
[[nodiscard]] auto bce_loss(const A& p, const B& y) {
  internal::require_equal_shapes(p, y, "bce_loss");
  return mean(internal::make_map(internal::functional::BinaryCrossEntropy{}, p, y));
}
template <class D>
on_device<D> bce_loss(const on_device<D>&,
                      typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> bce_loss(const placed<T, D>&, typename element_types_differ<T, D>::template fix_call_cast<T>);

/// `bce_loss(sigmoid(logits), y)`, computed from the logits: it neither overflows nor loses digits.
///
///     Variable loss = bce_with_logits_loss(matmul(x, w) + b, y);
template <class A, class B>
  requires OperandsOf<internal::functional::BinaryCrossEntropyWithLogits, A, B>
[[nodiscard]] auto bce_with_logits_loss(const A& logits, const B& y) {
  internal::require_equal_shapes(logits, y, "bce_with_logits_loss");
  return mean(internal::make_map(internal::functional::BinaryCrossEntropyWithLogits{}, logits, y));
}
template <class D>
on_device<D> bce_with_logits_loss(const on_device<D>&,
                                  typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> bce_with_logits_loss(const placed<T, D>&,
                                  typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
