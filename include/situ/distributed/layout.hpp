// SPDX-License-Identifier: Apache-2.0
// Layouts: how the parts of a spread value relate to the whole. Empty types, so that an operation on the wrong one does
// not compile.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/shape.hpp>
#include <situ/tensor/index.hpp>

namespace situ {

/// How the terms of a `Partial` are combined into one value.
enum class ReduceOp { sum, max, min };

/// Every part is the whole value, and all are equal.
struct Replicated {};
/// The value is cut along an axis, counted from the front; part `i` is the `i`-th piece, as in numpy.array_split.
template <int Axis>
  requires(Axis >= 0 && Axis < internal::max_rank)
struct Sharded {};
/// Every part is a term: the value is their element-wise sum, maximum or minimum, once they have been combined.
template <ReduceOp Op = ReduceOp::sum>
struct Partial {};
/// Every part is a value of its own: a mask that was drawn on each device, a timing.
struct Local {};

namespace internal {

/// The properties of a layout: the axis that it cuts or -1, whether its parts are terms, its name.
template <class Layout>
struct LayoutFacts;
template <>
struct LayoutFacts<Replicated> {
  static constexpr int axis = -1;
  static constexpr bool partial = false;
  [[nodiscard]] static std::string name() { return "Replicated"; }
};
template <int Axis>
struct LayoutFacts<Sharded<Axis>> {
  static constexpr int axis = Axis;
  static constexpr bool partial = false;
  [[nodiscard]] static std::string name() { return "Sharded<" + std::to_string(Axis) + ">"; }
};
template <ReduceOp Op>
struct LayoutFacts<Partial<Op>> {
  static constexpr int axis = -1;
  static constexpr bool partial = true;
  [[nodiscard]] static std::string name() {
    return Op == ReduceOp::sum ? "Partial<sum>" : Op == ReduceOp::max ? "Partial<max>" : "Partial<min>";
  }
};
template <>
struct LayoutFacts<Local> {
  static constexpr int axis = -1;
  static constexpr bool partial = false;
  [[nodiscard]] static std::string name() { return "Local"; }
};

}  // namespace internal

/// `Replicated`, `Sharded<Axis>`, `Partial<Op>`, `Local`.
template <class L>
concept SpreadLayout = requires { internal::LayoutFacts<L>::axis; };

namespace internal {

template <SpreadLayout L>
inline constexpr int sharded_axis = LayoutFacts<L>::axis;  // -1: none
template <SpreadLayout L>
inline constexpr bool is_sharded = sharded_axis<L> >= 0;
template <SpreadLayout L>
inline constexpr bool is_partial = LayoutFacts<L>::partial;

/// `count` positions in `parts` contiguous ranges; the first `count % parts` have one more, as in numpy.array_split.
class EvenSplit {
 public:
  EvenSplit(std::int64_t count, std::size_t parts) noexcept
      : each_(count / static_cast<std::int64_t>(parts)), longer_(count % static_cast<std::int64_t>(parts)) {}

  [[nodiscard]] std::int64_t begin(std::size_t part) const noexcept {
    const auto i = static_cast<std::int64_t>(part);
    return i * each_ + std::min(i, longer_);
  }
  [[nodiscard]] std::int64_t extent(std::size_t part) const noexcept { return begin(part + 1) - begin(part); }
  [[nodiscard]] IndexRange operator[](std::size_t part) const noexcept { return {begin(part), begin(part + 1), 1}; }

 private:
  std::int64_t each_;
  std::int64_t longer_;
};

/// The shape of part number `part` of `parts` of a value of shape `whole`, except for `Local`, whose parts have any
/// shape.
template <SpreadLayout L>
[[nodiscard]] Shape part_shape(const Shape& whole, std::size_t part, std::size_t parts) {
  Shape shape = whole;
  if constexpr (is_sharded<L>) shape.set(sharded_axis<L>, EvenSplit(whole[sharded_axis<L>], parts).extent(part));
  return shape;
}

}  // namespace internal

}  // namespace situ
