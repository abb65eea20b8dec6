// SPDX-License-Identifier: Apache-2.0
// Operations along one axis that each device applies to its own part: the axis is a template argument, counted from the
// front, and not the one that is cut.
#pragma once

#include <situ/core/config.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/spread.hpp>

namespace situ::internal {

[[nodiscard]] constexpr bool is_axis_number(int axis) { return axis >= 0 && axis < max_rank; }

/// A spread value that is not cut along an axis.
template <class X, int Axis>
concept SpreadAlong = SpreadLike<X> && is_axis_number(Axis) && sharded_axis<layout_t<X>> != Axis;
/// ... and is not a `Partial`.
template <class X, int Axis>
concept SpreadValueAlong = SpreadAlong<X, Axis> && !is_partial<layout_t<X>>;

}  // namespace situ::internal
