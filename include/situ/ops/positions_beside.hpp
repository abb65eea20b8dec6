// SPDX-License-Identifier: Apache-2.0
// Positions or a mask for one axis, beside another item of an index: `x(all, list)`, `x(range(0, 3), mask)`,
// `x(list, all)`.
#pragma once

#include <concepts>
#include <string>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/mask.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/tensor/index.hpp>

namespace situ {

namespace internal {

/// A list of integers, or a mask, on device `D`.
template <class Index, class D>
concept PositionsOn = IndicesOn<Index, D> || (TensorLike<Index> && std::same_as<value_type_t<Index>, bool> &&
                                              std::same_as<device_t<Index>, D>);

template <TensorLike X, class Index>
[[nodiscard]] applied_t<X> taken_along(const X& x, const Index& index, int axis, CallSite site) {
  if constexpr (std::same_as<value_type_t<Index>, bool>) {
    if (index.shape().rank() != 1 || index.shape()[0] != x.shape()[axis]) {
      throw ShapeError("a mask of shape " + index.shape().to_string() + " for axis " + std::to_string(axis) +
                       " of shape " + x.shape().to_string() + "; it must have one axis of the same extent");
    }
    const movement::WholeCall whole("x(all, mask)", site);
    return take(x, flatten(nonzero(index, site)), axis);
  } else {
    return take(x, index, axis);
  }
}

}  // namespace internal

/// The value of `x(item, index)`: the part that the item selects, and of its next axis the positions in `index`, or
/// those where a mask is true. The axes of `index` replace the axis, as in NumPy. Throws `IndexError` for a position out
/// of range, `ShapeError` for a mask that does not fit the axis.
///
///     Tensor columns = x(all, tensor<std::int64_t>({2, 0}));
template <TensorLike X, internal::PositionsOn<device_t<X>> Index>
[[nodiscard]] auto index_behind(const X& x, const IndexItem& item, const Index& index, CallSite site) {
  const int axis = item.kind == IndexItem::Kind::position ? 0 : 1;
  auto part = x(item);
  static_cast<void>(internal::normalize_axis(axis, part.shape().rank(), "an index"));
  return internal::taken_along(part, index, axis, site);
}

/// The value of `x(index, item)`: the same with the item for the axis after that of the positions.
template <TensorLike X, internal::PositionsOn<device_t<X>> Index>
[[nodiscard]] auto index_before(const X& x, const Index& index, const IndexItem& item, CallSite site) {
  return internal::taken_along(x(all, item), index, 0, site);
}

}  // namespace situ
