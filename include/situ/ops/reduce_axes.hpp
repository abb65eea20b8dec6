// SPDX-License-Identifier: Apache-2.0
// The axes of a reduction, and the shape it leaves: `ReduceAxes`, `keepdims`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>

namespace situ {

/// Whether reduced axes are kept, with extent 1, so that the result broadcasts against the operand.
enum class KeepDims : bool { no, yes };
/// `x - mean(x, 1, keepdims)`.
inline constexpr KeepDims keepdims = KeepDims::yes;

namespace internal {
/// A vector or array of axes, as a template: else it would need two conversions, to a span and to `ReduceAxes`.
template <class List>
concept ListOfAxes = std::convertible_to<const List&, std::span<const std::int64_t>>;
}  // namespace internal

/// The axes of a reduction: by default all; or one, or several. Negative axes count from the end. A list of axes made
/// at run time may be empty: then nothing is reduced, flipped, squeezed, as with NumPy's `axis=()`.
///
///     sum(x)                    // all axes: a tensor of rank 0
///     sum(x, 1)                 // one
///     sum(x, {0, -1})           // several
///     sum(x, {0, 1}, keepdims)  // extents of 1 are kept
///     sum(x, keepdims)          // all axes, the rank is kept
///     sum(x, list)              // std::vector<std::int64_t> list: the axes in it
///     sum<0, 1, keepdims>(x)    // axes known when the program compiles, counted from the front; also of spread values
class ReduceAxes {
 public:
  constexpr ReduceAxes() = default;

  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  constexpr ReduceAxes(Integer axis) : count_(1), axes_{static_cast<std::int64_t>(axis)} {}

  constexpr ReduceAxes(std::initializer_list<std::int64_t> axes) : ReduceAxes(std::span(axes.begin(), axes.size())) {}

  /// The axes in a list, which may be empty. Throws `IndexError` for more axes than a tensor can have.
  constexpr ReduceAxes(std::span<const std::int64_t> axes) : count_(static_cast<int>(axes.size())) {
    if (axes.size() > axes_.size()) {
      throw IndexError(std::to_string(axes.size()) + " axes named; a tensor has at most " +
                       std::to_string(internal::max_rank));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) axes_[i] = axes[i];
  }

  /// The axes in a container.
  template <internal::ListOfAxes List>
  constexpr ReduceAxes(const List& axes) : ReduceAxes(std::span<const std::int64_t>(axes)) {}

  constexpr ReduceAxes(KeepDims keep) : keep_(keep) {}

  /// As a set, bit `i` for axis `i`. Throws `IndexError` for an axis out of range, or one that is named twice.
  [[nodiscard, SITU_INLINE]] std::uint32_t of(const Shape& shape, const char* operation) const {
    return count_ == every_axis ? (std::uint32_t{1} << shape.rank()) - 1 : of_named(shape, operation);
  }

  /// Whether the axes are kept, with extent 1.
  [[nodiscard]] constexpr KeepDims keep() const noexcept { return keep_; }

 private:
  [[nodiscard]] std::uint32_t of_named(const Shape& shape, const char* operation) const {
    std::uint32_t set = 0;
    for (int i = 0; i < count_; ++i) {
      const std::int64_t axis = axes_[static_cast<std::size_t>(i)];
      const std::uint32_t bit = std::uint32_t{1} << internal::normalize_axis(axis, shape.rank(), operation);
      if ((set & bit) != 0) {
        throw IndexError(std::string(operation) + ": axis " + std::to_string(axis) + " of shape " + shape.to_string() +
                         " is named twice; name each axis once");
      }
      set |= bit;
    }
    return set;
  }

  static constexpr int every_axis = -1;

  int count_ = every_axis;
  KeepDims keep_ = KeepDims::no;
  std::array<std::int64_t, internal::max_rank> axes_{};
};

/// The axes of `norm`. "The second argument of `norm` could be an axis, as in all reductions, or an order, as in NumPy:
/// fix: write the axis in braces, norm(x, {1}), or the order as such, norm(x, NormOrder{1})".
struct the_second_argument_of_norm_could_be_an_axis_or_an_order {
  struct fix_write_axes_in_braces_or_NormOrder : ReduceAxes {
    constexpr fix_write_axes_in_braces_or_NormOrder() = default;
    constexpr fix_write_axes_in_braces_or_NormOrder(std::initializer_list<std::int64_t> axes) : ReduceAxes(axes) {}
    constexpr fix_write_axes_in_braces_or_NormOrder(const ReduceAxes& axes) : ReduceAxes(axes) {}
    template <internal::ListOfAxes List>
    constexpr fix_write_axes_in_braces_or_NormOrder(const List& axes) : ReduceAxes(axes) {}
    constexpr fix_write_axes_in_braces_or_NormOrder(KeepDims keep) : ReduceAxes(keep) {}
    template <std::integral Number>
    fix_write_axes_in_braces_or_NormOrder(Number) = delete;
    fix_write_axes_in_braces_or_NormOrder(const char*) = delete;  // "fro"
  };
};
/// The axes of `norm`.
using NormAxes = the_second_argument_of_norm_could_be_an_axis_or_an_order::fix_write_axes_in_braces_or_NormOrder;

namespace internal {

/// The shape without the axes in `reduced`, or with extents of 1 in their place.
[[nodiscard]] inline Shape reduced_shape(const Shape& shape, std::uint32_t reduced, KeepDims keep) {
  Shape result;
  if (keep == KeepDims::no && reduced == (std::uint32_t{1} << shape.rank()) - 1) return result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((reduced >> axis & 1U) == 0) result.push_back(shape[axis]);
    else if (keep == KeepDims::yes) result.push_back(1);
  }
  return result.checked();
}

/// The number of elements along the axes in `reduced`.
[[nodiscard]] inline std::int64_t reduced_count(const Shape& shape, std::uint32_t reduced) noexcept {
  std::uint64_t count = 1;  // unsigned, as in Shape::count
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((reduced >> axis & 1U) != 0) count *= static_cast<std::uint64_t>(shape[axis]);
  }
  return static_cast<std::int64_t>(count);
}

/// The axes of `shape` along which an operand of shape `operand` is broadcast, bit `i` for axis `i`.
[[nodiscard]] inline std::uint32_t broadcast_axes(const Shape& operand, const Shape& shape) noexcept {
  std::uint32_t axes = 0;
  const int added = shape.rank() - operand.rank();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis < added || (operand[axis - added] == 1 && shape[axis] != 1)) axes |= std::uint32_t{1} << axis;
  }
  return axes;
}

[[noreturn]] inline void fail_empty_reduction(const char* operation, const Shape& shape) {
  throw ValueError(std::string(operation) + ": shape " + shape.to_string() +
                   " has no elements along the reduced axes, and " + operation +
                   " of no elements has no value; test size() first, or reduce axes that are not empty");
}

}  // namespace internal

}  // namespace situ
