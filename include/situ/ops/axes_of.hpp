// SPDX-License-Identifier: Apache-2.0
// Axes as template arguments, counted from the front: `sum<1>(x)`, `sum<0, 1, keepdims>(x)`. Where the type of a result
// depends on axes they are these: of values over several devices, which distributed/ adds.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <situ/core/config.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/placed.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/reduce_axes.hpp>

namespace situ::internal {

template <auto Argument>
inline constexpr bool is_keep_dims = std::same_as<std::remove_cv_t<decltype(Argument)>, KeepDims>;
template <auto Argument>
[[nodiscard]] consteval bool is_axis_argument() {
  if constexpr (is_keep_dims<Argument>) return true;
  else if constexpr (std::integral<decltype(Argument)> && !std::same_as<decltype(Argument), bool>)
    return Argument >= 0 && Argument < max_rank;
  else return false;
}
template <auto Argument>
[[nodiscard]] consteval bool is_negative_axis() {
  if constexpr (std::integral<decltype(Argument)> && !std::same_as<decltype(Argument), bool>) return Argument < 0;
  else return false;
}
/// Axes, counted from the front, and optionally `keepdims`.
template <auto... How>
concept AxisArguments = (is_axis_argument<How>() && ...);

/// Axes and optionally `keepdims`; no axes means all of them.
template <auto... How>
struct AxesOf {
  template <auto Argument>
  [[nodiscard]] static consteval std::uint32_t bit() {
    if constexpr (is_keep_dims<Argument> || !is_axis_argument<Argument>()) return 0;
    else return std::uint32_t{1} << Argument;
  }
  template <auto Argument>
  [[nodiscard]] static consteval bool keeps() {
    if constexpr (is_keep_dims<Argument>) return Argument == KeepDims::yes;
    else return false;
  }

  static constexpr std::uint32_t named = (std::uint32_t{0} | ... | bit<How>());
  static constexpr KeepDims keep = (false || ... || keeps<How>()) ? KeepDims::yes : KeepDims::no;

  static constexpr int count = ((is_keep_dims<How> ? 0 : 1) + ... + 0);

  [[nodiscard]] static constexpr bool has(int axis) noexcept {
    return AxisArguments<How...> && (named == 0 || (named >> axis & 1U) != 0);
  }
  /// The number after the reduction of an axis that is not reduced.
  [[nodiscard]] static constexpr int moved(int axis) noexcept {
    int position = 0;
    for (int i = 0; i < axis; ++i) position += keep == KeepDims::yes || !has(i) ? 1 : 0;
    return position;
  }
  /// The same, as an argument of the reductions of tensors.
  [[nodiscard]] static ReduceAxes axes() {
    if (named == 0) return ReduceAxes();
    std::array<std::int64_t, max_rank> list{};
    std::size_t next = 0;
    for (int i = 0; i < max_rank; ++i) {
      if (has(i)) list[next++] = i;
    }
    return ReduceAxes(std::span<const std::int64_t>(list.data(), next));
  }
  /// The shape of a reduction of `shape`. Throws `IndexError` for an axis that does not exist.
  [[nodiscard]] static Shape reduced(const Shape& shape, const char* operation) {
    return reduced_shape(shape, axes().of(shape, operation), keep);
  }
};

/// Axes in angle brackets, where those in parentheses would be: there is nothing to write.
template <auto... How>
struct AxesInBrackets {
  operator ReduceAxes() const { return AxesOf<How...>::axes(); }
};
template <int... Axis>
struct AxisInBrackets {
  constexpr explicit AxisInBrackets(std::int64_t) {}
  constexpr operator std::int64_t() const { return (std::int64_t{0} + ... + Axis); }
};
template <bool InParentheses>
struct AxesParameter {
  template <class Axes, auto... How>
  using axes = const Axes&;
  template <int... Axis>
  using axis = std::int64_t;
};
template <>
struct AxesParameter<false> {
  template <class Axes, auto... How>
  using axes = AxesInBrackets<How...>;
  template <int... Axis>
  using axis = AxisInBrackets<Axis...>;
};
/// The parameter for axes of `X`: `Axes`, if it is a tensor and there are none in angle brackets.
template <class X, class Axes, auto... How>
using axes_t = typename AxesParameter<TensorLike<X> && sizeof...(How) == 0>::template axes<Axes, How...>;
/// The same for one axis.
template <class X, int... Axis>
using axis_t = typename AxesParameter<TensorLike<X> && sizeof...(Axis) == 0>::template axis<Axis...>;

/// What `Operation` along the axes `How` makes of an operand that is not a tensor: its `Rule`, the `type` of the result,
/// and `make(x, f)` with `f` for its parts. Empty here; distributed/layout_rule.hpp specializes it for spread values, so
/// that each function is written once.
template <class Operation, class X, auto... How>
struct OfParts {};

/// Whether an operation on tensors can have these axes: one at most if it is along one.
template <class Operation, auto... How>
inline constexpr bool has_axes = AxisArguments<How...>;
template <class Operation, auto... How>
  requires(Operation::keeps_layout)
inline constexpr bool has_axes<Operation, How...> = AxisArguments<How...> && sizeof...(How) <= 1;

/// A tensor or expression with elements that the operation accepts, or a spread value of such in a layout that it
/// accepts.
template <class X, class Operation, auto... How>
concept OperandAlong = (TensorLike<X> && has_axes<Operation, How...> && Operation::template accepts<value_type_t<X>>) ||
                       requires { typename OfParts<Operation, std::remove_cvref_t<X>, How...>::Rule; };

template <bool OfTensors>
struct AlongAxes {
  template <class Operation, class X, auto... How>
  using type = applied_as_t<typename Operation::template result<value_type_t<X>>, X>;
};
template <>
struct AlongAxes<false> {
  template <class Operation, class X, auto... How>
  using type = typename OfParts<Operation, std::remove_cvref_t<X>, How...>::template type<Operation>;
};
/// The type of the result.
template <class Operation, class X, auto... How>
using along_t = typename AlongAxes<TensorLike<X>>::template type<Operation, X, How...>;

namespace operation {
/// What moves elements of any type, and computes none: of terms it makes terms.
struct Moves {
  static constexpr bool moves = true;
  template <Element T>
  static constexpr bool accepts = true;
};
/// ... along one axis, the others keep their places.
struct MovesAlong : Moves {
  static constexpr bool keeps_layout = true;
};
}  // namespace operation

/// `f(x)` of a tensor, and of a spread value of its parts.
template <class Operation, auto... How, class X, class F>
[[nodiscard]] auto along(const X& x, F&& f) {
  if constexpr (TensorLike<X>) return f(x);
  else return OfParts<Operation, X, How...>::make(x, f);
}

/// An operation along one axis.
template <int... Axis, class Operation, class X>
[[nodiscard]] along_t<Operation, X, Axis...> along_axis(const Operation& operation, const X& x) {
  if constexpr (TensorLike<X>) return apply(operation, x);
  else return along<Operation, Axis...>(x, [&](const auto& part) { return apply(operation, part); });
}

}  // namespace situ::internal
