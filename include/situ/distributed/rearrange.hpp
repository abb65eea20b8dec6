// SPDX-License-Identifier: Apache-2.0
// `tile pad diff` of spread values; see ops/rearrange.hpp and ops/axes.hpp. Nothing is added or removed along the axis
// that is cut: its neighbors may be on another device.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/layout_rule.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/axes.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/rearrange.hpp>

namespace situ {

namespace internal {

/// `f(part)` of every part, where `f` leaves the axis that is cut unchanged and in its place. The other extents are
/// those of the first part.
template <class F, class X>
[[nodiscard]] auto map_beside_the_cut(const X& x, F&& f) {
  constexpr int cut = sharded_axis<layout_t<X>>;
  auto parts = each_part(x, f);
  Shape shape = std::get<0>(parts).shape();
  if constexpr (cut >= 0) shape.set(cut, x.shape()[cut]);
  return make_spread<layout_t<X>>(x.mesh(), shape, std::move(parts));
}

/// Throws `ShapeError` unless `holds`: the operation would change the axis that is cut.
template <class X>
void require_cut_untouched(bool holds, const char* operation, const X& x, const char* what) {
  if (holds) return;
  throw ShapeError(std::string(operation) + ": shape " + x.shape().to_string() + " in layout " +
                   LayoutFacts<layout_t<X>>::name() + ": " + what + "; all_gather it, or reshard along another axis");
}

}  // namespace internal

/// The value repeated `repeats[i]` times along axis `i`, counted from the last axis. A cut value keeps its rank, and is
/// repeated once along the axis that is cut, else `ShapeError`.
template <SpreadLike X>
[[nodiscard]] auto tile(const X& x, std::span<const std::int64_t> repeats) {
  constexpr int cut = internal::sharded_axis<layout_t<X>>;
  const int given = static_cast<int>(repeats.size());
  const int number = cut - (x.rank() - given);  // the axis that is cut, as a position in `repeats`
  internal::require_cut_untouched(
      cut < 0 || (given <= x.rank() && (number < 0 || repeats[static_cast<std::size_t>(number)] == 1)), "tile", x,
      "the axis that is cut cannot be repeated or renumbered");
  return internal::map_beside_the_cut(x, [repeats](const auto& part) { return tile(part, repeats); });
}
/// The same with the repeats in braces.
template <SpreadLike X>
[[nodiscard]] auto tile(const X& x, std::initializer_list<std::int64_t> repeats) {
  return tile(x, std::span<const std::int64_t>(repeats.begin(), repeats.size()));
}

namespace internal {

template <class X, class... Value>
[[nodiscard]] auto padded(const X& x, std::span<const PadWidth> widths, Value... value) {
  constexpr int cut = sharded_axis<layout_t<X>>;
  if constexpr (cut >= 0) {
    const PadWidth own =
        static_cast<int>(widths.size()) == x.rank() ? widths[cut] : PadWidth{};  // else the parts throw
    require_cut_untouched(own.before == 0 && own.after == 0, "pad", x, "the axis that is cut cannot be padded");
  }
  return map_beside_the_cut(x, [=](const auto& part) { return pad(part, widths, value...); });
}

}  // namespace internal

/// The value padded with zeros, but not along the axis that is cut (else `ShapeError`): one `PadWidth` for each axis.
/// Terms of a sum are padded with zeros, too.
template <SpreadLike X>
[[nodiscard]] auto pad(const X& x, std::span<const PadWidth> widths) {
  return internal::padded(x, widths);
}
template <SpreadLike X>
[[nodiscard]] auto pad(const X& x, std::initializer_list<PadWidth> widths) {
  return internal::padded(x, std::span<const PadWidth>(widths.begin(), widths.size()));
}
/// Padded with `value`; not for a `Partial`, since each of its terms would add it.
template <SpreadLike X, class S>
  requires(internal::WeakScalarFor<S, internal::spread_element_t<X>> && !internal::is_partial<layout_t<X>>)
[[nodiscard]] auto pad(const X& x, std::span<const PadWidth> widths, S value) {
  return internal::padded(x, widths, value);
}
template <SpreadLike X, class S>
  requires(internal::WeakScalarFor<S, internal::spread_element_t<X>> && !internal::is_partial<layout_t<X>>)
[[nodiscard]] auto pad(const X& x, std::initializer_list<PadWidth> widths, S value) {
  return internal::padded(x, std::span<const PadWidth>(widths.begin(), widths.size()), value);
}
template <class S>
never_made pad(a_partial_sum_is_not_a_value::fix_call_all_reduce, std::span<const PadWidth>, S);
template <class S>
never_made pad(a_partial_sum_is_not_a_value::fix_call_all_reduce, std::initializer_list<PadWidth>, S);

template <int Axis>
never_made diff(typename internal::WrongAxis<Axis>::type);
template <int Axis>
never_made diff(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
