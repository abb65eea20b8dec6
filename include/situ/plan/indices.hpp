// SPDX-License-Identifier: Apache-2.0
// What `IndexError` says of an index among a tensor's elements: the same on every device.
#pragma once

#include <cstdint>
#include <string>

namespace situ {

/// The operations whose indices are elements of a tensor, so that a bad one is found while they compute.
enum class IndexedOperation : std::int32_t { take, gather, scatter, scatter_add, one_hot, cross_entropy };

/// "take: index 7 is out of range for axis 0 of extent 3; indices are -3 to 2". For `one_hot` and `cross_entropy`,
/// `extent` is the number of classes and `position` that of the label; elsewhere `position` is not told.
[[nodiscard]] inline std::string index_message(IndexedOperation operation, std::int64_t index, int axis,
                                               std::int64_t extent, std::int64_t position = 0) {
  if (operation == IndexedOperation::one_hot) {
    return "one_hot: label " + std::to_string(index) + " at position " + std::to_string(position) + " is none of " +
           std::to_string(extent) + " classes; labels are 0 to " + std::to_string(extent - 1);
  }
  if (operation == IndexedOperation::cross_entropy) {
    return "cross_entropy: label " + std::to_string(index) + " at position " + std::to_string(position) +
           " is none of the " + std::to_string(extent) + " classes, which count from 0";
  }
  constexpr const char* names[] = {"take", "gather", "scatter", "scatter_add"};
  return std::string(names[static_cast<int>(operation)]) + ": index " + std::to_string(index) +
         " is out of range for axis " + std::to_string(axis) + " of extent " + std::to_string(extent) +
         (extent == 0 ? "; an axis of extent 0 has no positions"
                      : "; indices are " + std::to_string(-extent) + " to " + std::to_string(extent - 1));
}

}  // namespace situ
