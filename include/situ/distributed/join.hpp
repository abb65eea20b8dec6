// SPDX-License-Identifier: Apache-2.0
// `concat stack split` of spread values, along an axis that is not cut; see ops/join.hpp and ops/rearrange.hpp. All
// operands are in one layout; cut a replicated one beside pieces first, by shard<k>(r), which moves nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/axis.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/one_layout.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/distributed/structure.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/rearrange.hpp>

namespace situ {

namespace internal {

namespace operation {
struct JoinOfSpreads : OfOneLayout<JoinOfSpreads> {};  // named for the guards
}  // namespace operation

/// Spread values of one element type, in one layout, over one mesh.
template <class First, class... Rest>
concept SpreadsInOneLayout =
    SpreadLike<First> && (SpreadLike<Rest> && ...) && (std::same_as<layout_t<First>, layout_t<Rest>> && ...) &&
    (std::same_as<spread_element_t<First>, spread_element_t<Rest>> && ...) &&
    (std::same_as<spread_mesh_t<First>, spread_mesh_t<Rest>> && ...);

template <bool Stack, int Axis, class First, class... Rest>
[[nodiscard]] Shape joined_shape(const First& first, const Rest&... rest) {
  JoinedShape joined(first.shape(), Axis, Stack ? "stack" : "concat", Stack);
  joined.add(first.shape());
  (joined.add(rest.shape()), ...);
  return joined.shape();
}

}  // namespace internal

/// The operands joined along an axis. Other extents must be equal (else `ShapeError`).
///
///     Spread x = concat<1>(a, b);                   // rows of a and b, Sharded<0>, side by side
template <int Axis, internal::SpreadAlong<Axis> First, class... Rest>
  requires internal::SpreadsInOneLayout<First, Rest...>
[[nodiscard]] auto concat(const First& first, const Rest&... rest) {
  return internal::map_parts<layout_t<First>>(
      internal::joined_shape<false, Axis>(first, rest...),
      [](const auto&... part) { return concat(part..., std::int64_t{Axis}); }, first, rest...);
}
template <int Axis, class... Rest>
never_made concat(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, const Rest&...);
template <int Axis, class T, class L, class M, class... Rest>
  requires(internal::sharded_axis<L> != Axis)
never_made concat(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::operation::JoinOfSpreads, spread_over<T, L, M>>::see_Reason,
    const Rest&...);
template <int Axis, class T, class L, class M, class... Rest>
never_made concat(a_tensor_stands_beside_a_spread_value::fix_call_replicate_or_shard, const spread_over<T, L, M>&,
                  const Rest&...);

/// The operands, all of one shape, joined along a new axis.
///
///     Spread x = stack<0>(a, b);                    // of Sharded<0>: Sharded<1>
template <int Axis, SpreadLike First, class... Rest>
  requires internal::SpreadsInOneLayout<First, Rest...> && (internal::is_axis_number(Axis))
[[nodiscard]] auto stack(const First& first, const Rest&... rest) {
  constexpr int cut = internal::sharded_axis<layout_t<First>>;
  return internal::map_parts<internal::cut_along_t<layout_t<First>, (cut >= Axis ? cut + 1 : cut)>>(
      internal::joined_shape<true, Axis>(first, rest...),
      [](const auto&... part) { return stack(part..., std::int64_t{Axis}); }, first, rest...);
}
template <int Axis, class T, class L, class M, class... Rest>
never_made stack(const spread_over<T, L, M>&,
                 typename the_operands_do_not_fit<internal::operation::JoinOfSpreads, spread_over<T, L, M>>::see_Reason,
                 const Rest&...);
template <int Axis, class T, class L, class M, class... Rest>
never_made stack(a_tensor_stands_beside_a_spread_value::fix_call_replicate_or_shard, const spread_over<T, L, M>&,
                 const Rest&...);

/// Consecutive parts along an axis, as views, of the given sizes, which must add up to the extent (else `ShapeError`).
///
///     std::vector parts = split<1>(x, {2, 5});      // the first two columns and the other five
template <int Axis, internal::SpreadAlong<Axis> X>
[[nodiscard]] auto split(const X& x, std::span<const std::int64_t> sizes) {
  const auto pieces = internal::each_part(x, [&](const auto& part) { return split(part, sizes, Axis); });
  const auto piece = [&](std::size_t i) {
    Shape shape = x.shape();
    shape.set(Axis, sizes[i]);
    return std::apply(
        [&](const auto&... of) { return internal::make_spread<layout_t<X>>(x.mesh(), shape, std::tuple(of[i]...)); },
        pieces);
  };
  std::vector<decltype(piece(0))> result;
  result.reserve(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) result.push_back(piece(i));
  return result;
}
/// The same with the sizes in braces.
template <int Axis, internal::SpreadAlong<Axis> X>
[[nodiscard]] auto split(const X& x, std::initializer_list<std::int64_t> sizes) {
  return split<Axis>(x, std::span<const std::int64_t>(sizes.begin(), sizes.size()));
}
/// Into equal parts.
template <int Axis, internal::SpreadAlong<Axis> X>
[[nodiscard]] auto split(const X& x, std::int64_t parts) {
  const std::int64_t extent = x.shape()[internal::normalize_axis(Axis, x.rank(), "split")];
  if (parts <= 0 || extent % parts != 0) {
    throw ShapeError("split: axis " + std::to_string(Axis) + " of shape " + x.shape().to_string() + " has " +
                     std::to_string(extent) + " positions, which do not divide into " + std::to_string(parts) +
                     " equal parts; give the sizes, split<" + std::to_string(Axis) + ">(x, {2, 3})");
  }
  return split<Axis>(
      x, std::span<const std::int64_t>(std::vector<std::int64_t>(static_cast<std::size_t>(parts), extent / parts)));
}
template <int Axis, class Sizes>
never_made split(typename the_axis_is_cut<internal::AxesOf<Axis>>::fix_call_all_gather_or_reshard, const Sizes&);

}  // namespace situ
