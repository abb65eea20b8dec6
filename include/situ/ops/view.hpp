// SPDX-License-Identifier: Apache-2.0
// Views of layouts: parts, reordered axes; and the base of operations that only make views.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/tensor/layout.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// The part of the layout with positions `[begin, end)` along one axis.
[[nodiscard]] inline Layout sliced(const Layout& layout, int axis, std::int64_t begin, std::int64_t end) {
  Layout result = layout;
  result.shape.set(axis, end - begin);
  if (end > begin) result.offset += begin * layout.stride(axis);
  return result;
}

[[nodiscard]] inline Layout flipped(Layout layout, int axis) {
  if (layout.shape[axis] > 1) {
    layout.offset += (layout.shape[axis] - 1) * layout.stride(axis);
    layout.set_stride(axis, -layout.stride(axis));
  }
  return layout;
}

/// The layout without one of its axes, at position 0 of that axis.
[[nodiscard]] inline Layout without_axis(const Layout& layout, int axis) {
  Layout result;
  result.offset = layout.offset;
  for (int i = 0; i < layout.shape.rank(); ++i) {
    if (i == axis) continue;
    result.set_stride(result.shape.rank(), layout.stride(i));
    result.shape.push_back(layout.shape[i]);
  }
  return result;
}

namespace operation {

/// Base of views: `Self::layout` selects the elements.
template <class Self>
struct View : Moves {
 private:
  template <class Viewed>
  [[nodiscard]] Viewed of(const Viewed& tensor) const {
    return Viewed(tensor.storage(), static_cast<const Self&>(*this).layout(tensor.layout()));
  }

 public:
  template <TensorLike X>
  [[nodiscard]] tensor_of_t<X> operator()(X&& x) const {
    if constexpr (std::is_lvalue_reference_v<X>) return of(operand_value(x));
    else return of(eval(std::forward<X>(x)));  // a tensor that is moved here no longer holds its storage
  }
};

}  // namespace operation

}  // namespace situ::internal
