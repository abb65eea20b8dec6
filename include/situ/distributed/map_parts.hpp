// SPDX-License-Identifier: Apache-2.0
// Applying a function to the parts of equal number: the basis of every operation on spread values.
//
// How to add an operation: along axes that are template arguments, layout_rule.hpp has the rules, and the function of
// ops/ takes spread values. Others have a rule of layouts that is a type or a concept, an error text that is a guard,
// and `map_parts`:
//
//     template <SpreadLike X>
//       requires std::same_as<layout_t<X>, Replicated>                            // the cells that are accepted
//     [[nodiscard]] auto sorted(const X& x) {
//       return internal::map_parts<Replicated>(x.shape(), [](const auto& part) { return situ::sorted(part); }, x);
//     }
//     never_made sorted(a_partial_sum_is_not_a_value::fix_call_all_reduce);         // one guard a mistake
//
// The class of the result follows from what `f` returns for the parts (`SpreadOf` in spread.hpp): tensors make a
// `Spread`, variables a `SpreadVariable`, expressions a `LazySpread`, which becomes one of the two when it is assigned
// to one, `Spread y = exp(x) + 1;`, or by `eval`. So one function serves all three. Element-wise functions need
// nothing: those of ops/ take spread values through elementwise.hpp, which has their rules of layouts and shapes.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/spread.hpp>

namespace situ {

namespace internal {

/// Part `At` of a spread value; anything else is the same for all parts.
template <std::size_t At, class X>
[[nodiscard]] decltype(auto) part_of(const X& x) noexcept {
  if constexpr (SpreadLike<X>) return (std::get<At>(x.parts()));
  else return (x);
}

/// The whole of the first operand that is cut, for an error text; empty if none is.
template <class First, class... Rest>
[[nodiscard]] std::string cut_operand(const First& first, const Rest&... rest) {
  if constexpr (SpreadLike<First>) {
    if constexpr (is_sharded<layout_t<First>>) {
      return "shape " + first.shape().to_string() + " in layout " + LayoutFacts<layout_t<First>>::name();
    }
  }
  if constexpr (sizeof...(Rest) > 0) return cut_operand(rest...);
  else return {};
}

/// `f(part...)`, where `x...` are the wholes. An error, whose text has the shape of a part, begins with the whole.
template <class F, class Parts, class... X>
[[nodiscard]] auto on_part(const F& f, const Parts& parts, const X&... x) {
  try {
    return std::apply(f, parts);
  } catch (Error& error) {
    if (const std::string whole = cut_operand(x...); !whole.empty()) error.prefix("on a part of " + whole + ": ");
    throw;
  }
}

/// `f` of each part, in their order, which parentheses would not promise.
template <class X, class F>
[[nodiscard]] auto each_part(const X& x, const F& f) {
  return std::apply(
      [&](const auto&... part) {
        return std::tuple<decltype(on_part(f, std::tie(part), x))...>{on_part(f, std::tie(part), x)...};
      },
      x.parts());
}

/// The mesh of the first operand that has one. Throws `ValueError` if another operand has a different one (devices are
/// part of the type, ranks are not).
template <class First, class... Rest>
[[nodiscard]] const auto& common_mesh(const First& first, const Rest&... rest) {
  if constexpr (SpreadLike<First>) {
    const auto require = [&first](const auto& other) {
      if constexpr (SpreadLike<decltype(other)>) {
        if (!(other.mesh() == first.mesh())) {
          throw ValueError("the operands are spread over different groups of ranks; spread both over one group");
        }
      }
    };
    (require(rest), ...);
    return first.mesh();
  } else {
    return common_mesh(rest...);
  }
}

/// A value with these parts, of the class for parts of their type.
template <class Layout, class Mesh, class... Part>
[[nodiscard]] spread_of_t<Layout, Mesh, Part...> make_spread(const Mesh& mesh, const Shape& shape,
                                                             std::tuple<Part...> parts) {
  return spread_of_t<Layout, Mesh, Part...>(mesh, shape, std::move(parts));
}

template <std::size_t At, class F, class... X>
[[nodiscard]] auto apply_to_part(F& f, const X&... x) {
  return on_part(f, std::forward_as_tuple(part_of<At>(x)...), x...);
}
template <class Layout, class F, std::size_t... At, class... X>
[[nodiscard]] auto map_parts_at(std::index_sequence<At...>, const Shape& shape, F& f, const X&... x) {
  using Parts = std::tuple<decltype(apply_to_part<At>(f, x...))...>;
  return make_spread<Layout>(common_mesh(x...), shape, Parts{apply_to_part<At>(f, x...)...});
}

/// The value of layout `Layout` and shape `shape` whose parts are `f(part of each x...)`. Operands that are not spread
/// are passed to `f` as they are.
template <class Layout, class F, class... X>
[[nodiscard]] auto map_parts(const Shape& shape, F&& f, const X&... x) {
  using Mesh = std::remove_cvref_t<decltype(common_mesh(x...))>;
  return map_parts_at<Layout>(std::make_index_sequence<Mesh::local>{}, shape, f, x...);
}

template <class Layout, class F, std::size_t... At, class X>
[[nodiscard]] auto map_numbered_parts_at(std::index_sequence<At...>, const Shape& shape, F& f, const X& x) {
  using Parts = std::tuple<decltype(f(std::size_t{0}, std::get<At>(x.parts())))...>;
  return make_spread<Layout>(x.mesh(), shape, Parts{f(x.mesh().first() + At, std::get<At>(x.parts()))...});
}
/// The same for one operand, with the number of the part: `f(number, part)`.
template <class Layout, class F, class X>
[[nodiscard]] auto map_numbered_parts(const Shape& shape, F&& f, const X& x) {
  return map_numbered_parts_at<Layout>(std::make_index_sequence<spread_mesh_t<X>::local>{}, shape, f, x);
}

}  // namespace internal

/// Computes an expression over spread values now, each part on its device; see `eval` of tensors.
template <SpreadLike X>
[[nodiscard]] auto eval(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return situ::eval(part); }, x);
}

}  // namespace situ
