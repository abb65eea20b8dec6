// SPDX-License-Identifier: Apache-2.0
// Shapes that a caller asks for, with one extent that may be inferred.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/core/function_ref.hpp>
#include <situ/core/shape.hpp>

namespace situ::internal {

/// The extents that a caller requests, one of which may be -1 and is inferred: a `Shape`, numbers in braces, or a
/// vector, array or span of them.
class WantedShape {
 public:
  WantedShape(const Shape& shape) : WantedShape(shape.begin(), static_cast<std::size_t>(shape.rank())) {}
  WantedShape(std::initializer_list<internal::Extent> extents) : WantedShape(extents.begin(), extents.size()) {}
  template <internal::ExtentRange IndexRange>
  WantedShape(const IndexRange& extents) : WantedShape(extents.begin(), extents.size()) {}

  /// The requested shape, resolved for `count` elements. Throws `ShapeError` for another count, with the text of
  /// `operands()`, and for more than one -1.
  [[nodiscard]] Shape of(std::int64_t count, const char* operation, FunctionRef<std::string()> operands) const {
    Shape shape;
    int inferred = -1;
    for (std::size_t i = 0; i != rank_; ++i) {
      const bool infer = extents_[i] == -1;
      if (infer && inferred >= 0) {
        throw ShapeError(std::string(operation) + ": axes " + std::to_string(inferred) + " and " + std::to_string(i) +
                         " are both -1; only one extent can be inferred");
      }
      if (infer) inferred = static_cast<int>(i);
      shape.push_back(infer ? 1 : extents_[i]);
    }
    const std::int64_t known = shape.checked().count();
    if (inferred >= 0) {
      if (known == 0 || count % known != 0) {
        throw ShapeError(std::string(operation) + ": " + operands() + "; the extents given make " +
                         std::to_string(known) + ", so that no integer can replace -1 in axis " +
                         std::to_string(inferred));
      }
      shape.set(inferred, count / known);
    } else if (known != count) {
      throw ShapeError(std::string(operation) + ": " + operands() + ", but " + shape.to_string() + " has " +
                       std::to_string(known) + "; the counts must agree, and -1 stands for one extent to be inferred");
    }
    return shape;
  }

 private:
  template <class Iterator>
  WantedShape(Iterator from, std::size_t rank) : rank_(rank) {
    if (rank > extents_.size()) Shape::fail_rank(rank);
    for (std::size_t i = 0; i != rank; ++i, ++from) extents_[i] = internal::Extent(*from).value;
  }

  std::array<std::int64_t, max_rank> extents_;
  std::size_t rank_;
};

}  // namespace situ::internal
