// SPDX-License-Identifier: Apache-2.0
// Classification losses: `cross_entropy nll_loss`. Names, parameters and formulas are PyTorch's, except that by default
// no label is ignored.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/labels.hpp>
#include <situ/ops/last_axis.hpp>
#include <situ/ops/one_hot.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/softmax.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// Options of `nll_loss`.
///
///     nll_loss(log_probabilities, labels, {.ignore_index = -100, .reduction = Reduction::sum})
struct NllLossOptions {
  std::optional<std::int64_t> ignore_index = {};  // examples with this label do not count
  Reduction reduction = Reduction::mean;
};

/// Options of `cross_entropy`. Each class gets an equal part of `label_smoothing`, in [0, 1], and the label the rest.
struct CrossEntropyOptions {
  std::optional<std::int64_t> ignore_index = {};  // examples with this label do not count
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;
};

namespace internal {

namespace operation {

/// The loss of each row.
template <Device D>
struct CrossEntropyOfRows {
  Tensor<std::int64_t, D> labels;  // contiguous

  template <FloatingTensor X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& logits) const {
    using T = value_type_t<X>;
    const Shape shape = logits.shape();
    const RowOperand<T, D> in(logits);
    Storage<D> storage = allocate_elements<T, D>(Shape{shape[0]});
    call_kernel<D, kernels::CrossEntropy, CrossEntropies<backend_t<D>, T>>(
        [&](auto backend) {
          cross_entropy_along_rows(backend, program::Rows{shape[0], shape[1], in.rows.stride},
                                   in.tensor.element_pointer(), labels.element_pointer(),
                                   static_cast<T*>(storage.data()));
        },
        writes<T>(storage), internal::reads(in.tensor), internal::reads(labels));
    return Tensor<T, D>(std::move(storage), Layout::row_major(Shape{shape[0]}));
  }

  static constexpr unsigned gradient_reads = reads::operand<0>;
  /// From the gradients of the rows, or of their mean.
  template <Element T>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& x) const {
    const Tensor<std::int64_t, D> classes = arange<std::int64_t>(x.extent(1), D{});
    const Tensor<T, D> probability = softmax(x, 1);
    const Tensor<T, D> each = g.rank() == 0 ? Tensor<T, D>(g / static_cast<double>(x.extent(0))) : unsqueeze(g, 1);
    return where(labels(situ::all, newaxis) == classes, probability - 1, probability) * each;
  }
};

/// The mean loss of the rows.
template <Device D>
struct CrossEntropy : CrossEntropyOfRows<D> {
  template <FloatingTensor X>
  [[nodiscard]] tensor_of_t<X> operator()(const X& logits) const {
    return mean(CrossEntropyOfRows<D>::operator()(logits));
  }
};

}  // namespace operation

/// `-log_probabilities` at the label of each row, for `nll_loss`.
template <class X, Device D>
[[nodiscard]] applied_t<X> negative_at_labels(const X& rows, const Tensor<std::int64_t, D>& labels) {
  using T = value_type_t<X>;
  const Tensor<bool, D> at_label = one_hot_of<bool>(labels, rows.shape()[1], IndexedOperation::nll_loss);
  return sum(where(at_label, -rows, T(0)), 1);
}

template <class X, class L, class W>
[[nodiscard]] applied_t<X, W> cross_entropy_of(const X& logits, const L& labels, const W& weight,
                                               const CrossEntropyOptions& options) {
  using D = device_t<X>;
  const double smoothing = options.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw ValueError("cross_entropy: label_smoothing is " + number_text(smoothing) + "; it must be in [0, 1]");
  }
  const ClassLosses<D, W> examples(Tensor<std::int64_t, D>(labels), weight, options.ignore_index);
  const applied_t<X> rows = rows_of_classes(logits, labels.size());
  using Losses = applied_t<X, W>;
  const operation::CrossEntropyOfRows<D> of_rows{examples.labels()};
  const Losses at_labels = examples.weighted(apply(of_rows, rows));
  if (smoothing == 0) return examples.reduced(at_labels, options.reduction);
  const double part = smoothing / static_cast<double>(rows.shape()[1]);
  const Losses at_all = sum(examples.classes_weighted(log_softmax(rows, 1)), 1);
  return examples.reduced(Losses((1 - smoothing) * at_labels - part * at_all), options.reduction);
}

template <class X, class L, class W>
[[nodiscard]] applied_t<X, W> nll_loss_of(const X& log_probabilities, const L& labels, const W& weight,
                                          const NllLossOptions& options) {
  using D = device_t<X>;
  const ClassLosses<D, W> examples(Tensor<std::int64_t, D>(labels), weight, options.ignore_index);
  const applied_t<X> at_labels =
      negative_at_labels(rows_of_classes(log_probabilities, labels.size()), examples.labels());
  return examples.reduced(examples.weighted(at_labels), options.reduction);
}

}  // namespace internal

/// The mean over all examples of `-log_softmax(logits)` at the label. `logits` has floating elements and shape (n,
/// classes), (n, classes, d1, ...) or, for one example, (classes); `labels` has the same shape without the classes and
/// `int64` elements in [0, classes). NaN if there are no examples. Throws `ShapeError` for other shapes, and
/// `IndexError` for a label out of range: on a GPU, where looking would be a hidden wait, the loss is NaN, and the next
/// transfer to the host or `synchronize` throws.
///
///     float loss = cross_entropy(matmul(x, w) + b, y).item();
template <FloatingTensor X, class L>
  requires internal::LabelsFor<L, X>
[[nodiscard]] applied_t<X> cross_entropy(const X& logits, const L& labels) {
  using Operation = internal::operation::CrossEntropy<device_t<X>>;
  internal::require_labels_of_rows(logits.shape(), labels.shape(), "cross_entropy", "logits");
  if (logits.shape().rank() == 2) return internal::apply(Operation{{contiguous(labels)}}, logits);
  return internal::apply(Operation{{contiguous(flatten(labels))}}, internal::rows_of_classes(logits, labels.size()));
}
/// The loss of an example with label `y` as PyTorch defines it, `-(1 - s) w_y log p_y - s / classes sum_c w_c log p_c`
/// for probabilities p, the smoothing s of the options and weights w, and 0 for a label that is ignored. The mean
/// divides by the sum of `w_y` over the labels that are not ignored: NaN if there are none. 16-bit floats are computed
/// in `float`. Also throws `ShapeError` unless the weight has shape (classes), and `ValueError` for a smoothing outside
/// [0, 1].
///
///     Variable loss = cross_entropy(net(x), y, {.label_smoothing = 0.1});
///     Tensor each = cross_entropy(scores, y, weight, {.ignore_index = -100, .reduction = Reduction::none});
template <FloatingTensor X, class L, class W>
  requires internal::LabelsFor<L, X> && internal::ClassWeightFor<W, X>
[[nodiscard]] applied_t<X, W> cross_entropy(const X& logits, const L& labels, const W& weight,
                                            const CrossEntropyOptions& options = {}) {
  internal::require_labels_of_rows(logits.shape(), labels.shape(), "cross_entropy", "logits");
  internal::require_weight_of_classes(weight.shape(), logits.shape()[internal::class_axis(logits.shape())],
                                      "cross_entropy");
  using T = value_type_t<X>;
  if constexpr (std::same_as<T, compute_t<T>>) return internal::cross_entropy_of(logits, labels, weight, options);
  else return cast<T>(cross_entropy(cast<float>(logits), labels, cast<float>(weight), options));
}
/// All classes count equally.
template <FloatingTensor X, class L>
  requires internal::LabelsFor<L, X>
[[nodiscard]] applied_t<X> cross_entropy(const X& logits, const L& labels, const CrossEntropyOptions& options) {
  internal::require_labels_of_rows(logits.shape(), labels.shape(), "cross_entropy", "logits");
  using T = value_type_t<X>;
  if constexpr (std::same_as<T, compute_t<T>>) {
    return internal::cross_entropy_of(logits, labels, internal::EqualWeights{}, options);
  } else {
    return cast<T>(cross_entropy(cast<float>(logits), labels, options));
  }
}
// Guards, for labels and for the weight (braced options cannot be deduced in a pack).
template <class D>
on_device<D> cross_entropy(const on_device<D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                           const CrossEntropyOptions& = {});
template <class D, class W>
on_device<D> cross_entropy(const on_device<D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const W&,
                           const CrossEntropyOptions& = {});
template <class D>
on_device<D> cross_entropy(const on_device<D>&, typename labels_are_not_int64<D>::fix_call_cast,
                           const CrossEntropyOptions& = {});
template <class D, class W>
on_device<D> cross_entropy(const on_device<D>&, typename labels_are_not_int64<D>::fix_call_cast, const W&,
                           const CrossEntropyOptions& = {});
template <class D>
on_device<D> cross_entropy(const on_device<D>&, const placed<std::int64_t, D>&,
                           typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                           const CrossEntropyOptions& = {});
template <class T, class D>
placed<T, D> cross_entropy(const placed<T, D>&, const placed<std::int64_t, D>&,
                           typename element_types_differ<T, D>::template fix_call_cast<T>,
                           const CrossEntropyOptions& = {});

/// The mean over all examples of `-log_probabilities` at the label: after a `log_softmax`, what `cross_entropy`
/// computes in one call. Shapes, labels and errors are as there, except that on a GPU a label out of range counts as 0.
///
///     Tensor loss = nll_loss(log_softmax(logits, 1), labels);
template <FloatingTensor X, class L>
  requires internal::LabelsFor<L, X>
[[nodiscard]] auto nll_loss(const X& log_probabilities, const L& labels) {
  internal::require_labels_of_rows(log_probabilities.shape(), labels.shape(), "nll_loss", "log_probabilities");
  if (log_probabilities.shape().rank() == 2) {
    return mean(internal::negative_at_labels(log_probabilities, contiguous(labels)));
  }
  return mean(internal::negative_at_labels(internal::rows_of_classes(log_probabilities, labels.size()),
                                           contiguous(flatten(labels))));
}
/// With a weight for each class, as in `cross_entropy`.
///
///     Tensor loss = nll_loss(log_probabilities, labels, weight, {.ignore_index = -100});
template <FloatingTensor X, class L, class W>
  requires internal::LabelsFor<L, X> && internal::ClassWeightFor<W, X>
[[nodiscard]] applied_t<X, W> nll_loss(const X& log_probabilities, const L& labels, const W& weight,
                                       const NllLossOptions& options = {}) {
  const Shape shape = log_probabilities.shape();
  internal::require_labels_of_rows(shape, labels.shape(), "nll_loss", "log_probabilities");
  internal::require_weight_of_classes(weight.shape(), shape[internal::class_axis(shape)], "nll_loss");
  using T = value_type_t<X>;
  if constexpr (std::same_as<T, compute_t<T>>) return internal::nll_loss_of(log_probabilities, labels, weight, options);
  else return cast<T>(nll_loss(cast<float>(log_probabilities), labels, cast<float>(weight), options));
}
/// All classes count equally.
template <FloatingTensor X, class L>
  requires internal::LabelsFor<L, X>
[[nodiscard]] applied_t<X> nll_loss(const X& log_probabilities, const L& labels, const NllLossOptions& options) {
  internal::require_labels_of_rows(log_probabilities.shape(), labels.shape(), "nll_loss", "log_probabilities");
  using T = value_type_t<X>;
  if constexpr (std::same_as<T, compute_t<T>>) {
    return internal::nll_loss_of(log_probabilities, labels, internal::EqualWeights{}, options);
  } else {
    return cast<T>(nll_loss(cast<float>(log_probabilities), labels, options));
  }
}
template <class D>
on_device<D> nll_loss(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                      const NllLossOptions& = {});
template <class D, class W>
on_device<D> nll_loss(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                      const W&, const NllLossOptions& = {});
template <class D>
on_device<D> nll_loss(const on_device<D>&, typename labels_are_not_int64<D>::fix_call_cast, const NllLossOptions& = {});
template <class D, class W>
on_device<D> nll_loss(const on_device<D>&, typename labels_are_not_int64<D>::fix_call_cast, const W&,
                      const NllLossOptions& = {});
template <class D>
on_device<D> nll_loss(const on_device<D>&, const placed<std::int64_t, D>&,
                      typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                      const NllLossOptions& = {});
template <class T, class D>
placed<T, D> nll_loss(const placed<T, D>&, const placed<std::int64_t, D>&,
                      typename element_types_differ<T, D>::template fix_call_cast<T>, const NllLossOptions& = {});

}  // namespace situ
