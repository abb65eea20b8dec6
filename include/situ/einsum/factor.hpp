// SPDX-License-Identifier: Apache-2.0
// A factor of an Einstein sum: a tensor or variable whose axes have labels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/einsum/subscripts.hpp>
#include <situ/expression/concept.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::subscripts {

/// A tensor or a variable.
template <class X>
struct Factor {
  X value;
  LabelList labels;

  [[nodiscard]] std::int64_t stride(int label) const {
    if constexpr (TensorType<X>) return value.stride(labels.find(label));
    else return value.value().stride(labels.find(label));
  }
};

/// Some axes, as `sum` and `permute` take them.
class AxisList {
 public:
  void push_back(int axis) noexcept { axes_[static_cast<std::size_t>(count_++)] = axis; }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] std::span<const std::int64_t> span() const noexcept {
    return {axes_.data(), static_cast<std::size_t>(count_)};
  }

 private:
  std::array<std::int64_t, max_rank> axes_{};
  int count_ = 0;
};

/// The sum of an expression over one or more axes. Integers keep their type, as in NumPy's einsum.
template <class X, class Expression>
[[nodiscard]] X sum_over(Expression&& expression, const AxisList& axes) {
  if constexpr (IntegerElement<value_type_t<X>>) {
    return X(cast<value_type_t<X>>(sum(std::forward<Expression>(expression), ReduceAxes(axes.span()))));
  } else {
    return X(sum(std::forward<Expression>(expression), ReduceAxes(axes.span())));
  }
}

/// The sum over the axes whose labels are not in `kept`.
template <class X>
[[nodiscard]] Factor<X> summed(Factor<X> factor, LabelSet kept) {
  AxisList axes;
  LabelList left;
  for (int axis = 0; axis < factor.labels.count; ++axis) {
    if ((kept & bit(factor.labels[axis])) != 0) left.push_back(factor.labels[axis]);
    else axes.push_back(axis);
  }
  if (axes.count() == 0) return factor;
  return {sum_over<X>(std::move(factor.value), axes), left};
}

/// The axes in the order of `labels`, which contains each label of the factor once.
template <class X>
[[nodiscard]] X ordered(const Factor<X>& factor, const LabelList& labels) {
  AxisList axes;
  bool moves = false;
  for (int i = 0; i < labels.count; ++i) {
    const int axis = factor.labels.find(labels[i]);
    if (axis == factor.labels.count) continue;
    moves = moves || axis != axes.count();
    axes.push_back(axis);
  }
  return moves ? permute(factor.value, axes.span()) : factor.value;
}

/// The same with an axis of extent 1 for each label that the factor does not have.
template <class X>
[[nodiscard]] X aligned(const Factor<X>& factor, const LabelList& labels) {
  X result = ordered(factor, labels);
  for (int i = 0; i < labels.count; ++i) {
    if (factor.labels.find(labels[i]) == factor.labels.count) result = unsqueeze(std::move(result), i);
  }
  return result;
}

}  // namespace situ::internal::subscripts
