// SPDX-License-Identifier: Apache-2.0
// The order in which operands of `einsum` are contracted.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/einsum/subscripts.hpp>

namespace situ::internal::subscripts {

/// The extent of every label.
using Extents = std::array<std::int64_t, label_count>;

/// How many elements a tensor with these labels has, as a number that does not overflow.
[[nodiscard]] inline double elements(LabelSet set, const Extents& extents) noexcept {
  double product = 1;
  for (std::size_t label = 0; label < extents.size(); ++label) {
    if ((set >> label & 1U) != 0) product *= static_cast<double>(extents[label]);
  }
  return product;
}

/// A set of operands, bit `i` for operand `i`.
using OperandSet = unsigned;

/// The cheapest order in which to contract operands two at a time, by the number of multiplications. For every set of
/// operands it finds the best split into two smaller sets, in 3^n steps; a greedy choice is faster from 8 operands on,
/// but may be far from the best. It avoids intermediate results with more axes than a tensor can have, if it can.
class ContractionOrder {
 public:
  /// `operands` has the labels of each operand, `output` those of the result.
  ContractionOrder(std::span<const LabelSet> operands, LabelSet output, const Extents& extents)
      : sets_(std::size_t{1} << operands.size()) {
    const auto all = static_cast<OperandSet>(sets_.size() - 1);
    for (OperandSet set = 1; set <= all; ++set) {
      LabelSet inside = 0;
      LabelSet outside = output;
      for (std::size_t i = 0; i < operands.size(); ++i) ((set >> i & 1U) != 0 ? inside : outside) |= operands[i];
      Part& part = sets_[set];
      part.labels = inside & outside;
      if ((set & (set - 1)) == 0) continue;  // a single operand costs nothing
      part.cost = std::numeric_limits<double>::infinity();
      for (OperandSet left = (set - 1) & set; left > (set ^ left); left = (left - 1) & set) {
        const Part& a = sets_[left];
        const Part& b = sets_[set ^ left];
        const double made = std::popcount(part.labels) > max_rank ? std::numeric_limits<double>::infinity() : 0;
        const double cost = a.cost + b.cost + made + elements(a.labels | b.labels, extents);
        if (part.left == 0 || cost < part.cost) {
          part.cost = cost;
          part.left = left;
        }
      }
    }
  }

  /// The labels that remain after contracting this set: those that other operands or the result also have.
  [[nodiscard]] LabelSet labels(OperandSet set) const { return sets_[set].labels; }
  /// One of the two sets that this one is split into; the other has the rest.
  [[nodiscard]] OperandSet left(OperandSet set) const { return sets_[set].left; }
  [[nodiscard]] OperandSet all() const { return static_cast<OperandSet>(sets_.size() - 1); }

 private:
  struct Part {
    LabelSet labels = 0;
    double cost = 0;
    OperandSet left = 0;
  };
  std::vector<Part> sets_;
};

}  // namespace situ::internal::subscripts
