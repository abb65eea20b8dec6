// SPDX-License-Identifier: Apache-2.0
// The axis that indices select from, and the `IndexError` for an invalid index, the same on every device.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>

namespace situ::internal {

/// The operations whose indices are elements of a tensor, so that an invalid one is found during the computation.
enum class IndexedOperation : std::int32_t {
  take,
  gather,
  scatter,
  scatter_add,
  one_hot,
  cross_entropy,
  scatter_reduce,
  index_add,
  index_copy,
  index_put,
  integer_index,
  gather_nd,
  masked_scatter,
  nll_loss,
  multinomial
};

/// The name of the operation.
[[nodiscard]] constexpr const char* operation_name(IndexedOperation operation) {
  constexpr const char* names[] = {"take",           "gather",        "scatter",          "scatter_add",
                                   "one_hot",        "cross_entropy", "scatter_reduce",   "index_add",
                                   "index_copy",     "index_put",     "x(rows, columns)", "gather_nd",
                                   "masked_scatter", "nll_loss",      "multinomial"};
  return names[static_cast<int>(operation)];
}

/// "take: index 7 is out of range for axis 0 of extent 3; indices are -3 to 2". For `one_hot` and losses, `extent` is
/// the number of classes and `position` that of the label; otherwise `position` is not used.
[[nodiscard, gnu::cold]] inline std::string index_message(IndexedOperation operation, std::int64_t index, int axis,
                                                          std::int64_t extent, std::int64_t position = 0) {
  if (operation == IndexedOperation::one_hot || operation == IndexedOperation::nll_loss) {
    return std::string(internal::operation_name(operation)) + ": label " + std::to_string(index) + " at position " +
           std::to_string(position) + " is not one of " + std::to_string(extent) + " classes; labels are 0 to " +
           std::to_string(extent - 1);
  }
  if (operation == IndexedOperation::cross_entropy) {
    return "cross_entropy: label " + std::to_string(index) + " at position " + std::to_string(position) +
           " is not one of the " + std::to_string(extent) + " classes, which count from 0";
  }
  if (operation == IndexedOperation::masked_scatter) {
    return "masked_scatter: the mask is true in more places than the source has elements; give it as many, "
           "or masked_fill one value";
  }
  if (operation == IndexedOperation::multinomial) {
    return "multinomial: weights must be finite and not negative, in each row as many above 0 as are drawn, or one "
           "with Replacement::yes";
  }
  return std::string(internal::operation_name(operation)) + ": index " + std::to_string(index) +
         " is out of range for axis " + std::to_string(axis) + " of extent " + std::to_string(extent) +
         (extent == 0 ? "; an axis of extent 0 has no positions"
                      : "; indices are " + std::to_string(-extent) + " to " + std::to_string(extent - 1));
}

/// An axis that indices select from; negative ones count from its end. `Fault` handles an invalid index:
/// `fault(operation, index, axis, extent)` throws, or leaves a report for later.
template <class Fault>
struct IndexedAxis {
  Fault fault;
  IndexedOperation operation;
  int axis;
  std::int64_t extent;

  /// The position of an index; outside the axis if it is invalid.
  template <IntegerElement At>
  [[nodiscard]] constexpr std::int64_t unchecked_position(At value) const {
    const std::int64_t index = index_of(value);
    return index < 0 ? index + extent : index;
  }
  [[nodiscard]] constexpr bool has(std::int64_t position) const { return position >= 0 && position < extent; }

  /// The position of an index, or -1 after a report that it is invalid.
  template <IntegerElement At>
  [[nodiscard]] constexpr std::int64_t position(At value) const {
    const std::int64_t position = unchecked_position(value);
    if (has(position)) [[likely]]
      return position;
    fault(operation, index_of(value), axis, extent);
    return -1;
  }

 private:
  /// An unsigned index of more than 63 bits is out of range; if it wrapped, it would count from the end.
  template <IntegerElement At>
  [[nodiscard]] static constexpr std::int64_t index_of(At value) {
    if constexpr (std::same_as<At, uint64_t>) {
      constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
      return value > static_cast<uint64_t>(most) ? most : static_cast<std::int64_t>(value);
    } else {
      return static_cast<std::int64_t>(value);
    }
  }
};

/// The fault handler of a host device.
struct ThrowIndexError {
  [[noreturn]] void operator()(IndexedOperation operation, std::int64_t index, int axis, std::int64_t extent) const {
    throw IndexError(index_message(operation, index, axis, extent));
  }
};

/// The shape without one axis, that of the lines along it.
[[nodiscard]] constexpr Shape without_axis(Shape shape, int axis) {
  shape.erase(axis);
  return shape;
}
/// The strides of these lines.
[[nodiscard]] constexpr Strides without_axis(const Strides& strides, int axis, const Shape& lines) {
  Strides result{};
  for (int i = 0; i < lines.rank(); ++i) {
    result[static_cast<std::size_t>(i)] = strides[static_cast<std::size_t>(i < axis ? i : i + 1)];
  }
  return result;
}

}  // namespace situ::internal
