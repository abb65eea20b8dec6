// SPDX-License-Identifier: Apache-2.0
// Examples with labels of classes, for losses: the shapes that fit, and which of them count, how much.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// How losses of single examples are combined: their mean, their sum, or not at all.
enum class Reduction { mean, sum, none };

namespace internal {

/// The axis of the classes.
[[nodiscard]] inline int class_axis(const Shape& shape) { return shape.rank() > 1 ? 1 : 0; }

inline void require_labels_of_rows(const Shape& rows, const Shape& labels, const char* loss, const char* what) {
  Shape wanted = rows;
  if (rows.rank() > 0) {
    wanted.erase(class_axis(rows));
    if (labels == wanted) return;
  }
  throw ShapeError(std::string(loss) + ": " + what + " of shape " + rows.to_string() + " and labels of shape " +
                   labels.to_string() + "; they must be (n, classes) and (n,), or with more axes after the classes " +
                   "(n, classes, ...) and (n, ...); use reshape or squeeze");
}

inline void require_weight_of_classes(const Shape& weight, std::int64_t classes, const char* loss) {
  if (weight == Shape{classes}) return;
  throw ShapeError(std::string(loss) + ": a weight of shape " + weight.to_string() + "; it must be " +
                   Shape{classes}.to_string() + ", an element for each class");
}

/// A tensor of labels for `X`.
template <class L, class X>
concept LabelsFor =
    TensorLike<L> && std::same_as<value_type_t<L>, std::int64_t> && std::same_as<device_t<L>, device_t<X>>;

/// A tensor of class weights for `X`.
template <class W, class X>
concept ClassWeightFor = TensorLike<W> && agrees<W, value_type_t<X>, device_t<X>>;

/// Used without weights: all classes count equally.
struct EqualWeights {};

/// The `count` examples as rows of classes.
template <class X>
[[nodiscard]] applied_t<X> rows_of_classes(const X& x, std::int64_t count) {
  const Shape shape = x.shape();
  const int classes = class_axis(shape);
  std::vector<std::int64_t> order;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis != classes) order.push_back(axis);
  }
  order.push_back(classes);
  return reshape(permute(x, order), Shape{count, shape[classes]});
}

/// Weighted losses of the examples that count, and the divisor of their mean. Computed in `float` or `double`.
template <Device D, class W>
class ClassLosses {
 public:
  ClassLosses(const Tensor<std::int64_t, D>& labels, const W& weight, std::optional<std::int64_t> ignored)
      : shape_(labels.shape()), labels_(reshape(contiguous(labels), Shape{labels.size()})), weight_(weight) {
    if (!ignored) return;
    counts_ = Tensor<bool, D>(labels_ != *ignored);
    labels_ = where(*counts_, labels_, std::int64_t{0});
  }

  /// The class of each example; for an ignored one an arbitrary class.
  [[nodiscard]] const Tensor<std::int64_t, D>& labels() const { return labels_; }

  // Ignored examples are set to 0 before the weights multiply them; else an infinite one would put 0 inf in their
  // gradient.

  /// A number for each example, times the weight of its class; 0 for an ignored one.
  template <class X>
  [[nodiscard]] applied_t<X, W> weighted(const X& losses) const {
    if constexpr (TensorLike<W>) return only_counted(losses) * take(weight_, labels_, 0);
    else return only_counted(losses);
  }

  /// A number for each example and class, times the weight of the class; 0 for an ignored example.
  template <class X>
  [[nodiscard]] applied_t<X, W> classes_weighted(const X& numbers) const {
    if constexpr (TensorLike<W>) return only_counted(numbers) * weight_;
    else return only_counted(numbers);
  }

  /// Combines the losses of all examples, computed by the functions above.
  template <class X>
  [[nodiscard]] X reduced(const X& losses, situ::Reduction reduction) const {
    if (reduction == situ::Reduction::none) return reshape(losses, shape_);
    if (reduction == situ::Reduction::sum) return sum(losses);
    if constexpr (TensorLike<W>) {
      return sum(losses) / sum(only_counted(applied_t<W>(take(weight_, labels_, 0))));
    } else {
      if (!counts_) return mean(losses);
      return sum(losses) / cast<value_type_t<X>>(sum(*counts_));
    }
  }

 private:
  template <class X>
  [[nodiscard]] X only_counted(const X& x) const {
    if (!counts_) return x;
    if (x.shape().rank() == 1) return where(*counts_, x, value_type_t<X>(0));
    return where(unsqueeze(*counts_, 1), x, value_type_t<X>(0));
  }

  Shape shape_;
  Tensor<std::int64_t, D> labels_;
  std::optional<Tensor<bool, D>> counts_;  // empty: all of them count
  const W& weight_;
};

}  // namespace internal

}  // namespace situ
