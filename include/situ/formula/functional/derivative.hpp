// SPDX-License-Identifier: Apache-2.0
// Derivatives of functors. A functor of n operands that can be differentiated has, for each of them,
//
//     template <std::size_t At> static constexpr unsigned derivative_reads = reads::result | reads::operand<1>;
//     template <std::size_t At, class V> constexpr V derivative(V g, V result, V operand_1) const;
//
// where `derivative<At>` returns the gradient of operand `At` from the gradient `g` of the result, and from those of
// the result and the operands, in this order, that `derivative_reads<At>` lists. It gets only what is listed, so that a
// wrong list does not compile; values that no derivative of an expression reads are not kept for its gradient. A
// functor of one operand needs no `At`: `derivative_reads`, and `derivative(g, x)`.
//
// A user's functor for `map` may omit `derivative_reads`: then its derivatives read all operands.
#pragma once

#include <concepts>
#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>

namespace situ::internal::functional {

/// The values that a derivative reads, as bits.
namespace reads {
inline constexpr unsigned nothing = 0;
inline constexpr unsigned result = 1;
template <std::size_t At>
inline constexpr unsigned operand = 2U << At;
/// The operands before `count`.
[[nodiscard]] constexpr unsigned operands(std::size_t count) { return (2U << count) - 2U; }
}  // namespace reads

namespace detail {

/// A number of a lane type: `number<V>(0.5)`.
template <class V>
[[SITU_INLINE]] constexpr V number(double value) {
  return V(static_cast<lane_element_t<V>>(value));
}

/// `x` clamped to [-bound, bound]; NaN stays. For derivatives that are constant beyond the bound, where their formula
/// would overflow.
template <class V>
[[SITU_INLINE]] constexpr V within(V x, double bound) {
  using T = lane_element_t<V>;
  const V high(static_cast<T>(bound));
  const V low(static_cast<T>(-bound));
  return select(x > high, high, select(x < low, low, x));
}

/// One operand's share of the gradient of a minimum or maximum: nothing if the other is the result, half of it if they
/// are equal.
template <class V, class M>
[[SITU_INLINE]] constexpr V share(V g, M other_is_result, M equal) {
  const V zero(lane_element_t<V>(0));
  return select(other_is_result, zero, select(equal, g * number<V>(0.5), g));
}

}  // namespace detail

/// Base of functors whose derivative is 0 wherever it exists: `floor`, `sign`; see functor.hpp for its parameter.
template <class F>
struct ConstantBetweenSteps {
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::nothing;
  template <std::size_t At, class V>
  [[SITU_INLINE]] constexpr V derivative(V) const {
    return V(lane_element_t<V>(0));
  }
};

namespace detail {
template <class F>
concept ReadsForItsOperand = requires { unsigned{F::derivative_reads}; };

template <class F, std::size_t At, std::size_t Operands>
[[nodiscard]] constexpr unsigned derivative_reads() {
  if constexpr (ReadsForItsOperand<F>) return F::derivative_reads;  // tested first: the other is an error in g++
  else if constexpr (requires { F::template derivative_reads<At>; }) return F::template derivative_reads<At>;
  else return reads::operands(Operands);
}
}  // namespace detail

/// The values that the derivative of `F`, a functor of `Operands` operands, reads for operand `At`.
template <class F, std::size_t At, std::size_t Operands>
inline constexpr unsigned derivative_reads_v = detail::derivative_reads<F, At, Operands>();

/// A functor that defines its derivative by operand `At`; `G` is the type of the gradient, `T...` those of the
/// operands, as passed to a user's functor.
template <class F, std::size_t At, class G, class... T>
concept DerivativeOf =
    detail::ReadsForItsOperand<F> || requires { F::template derivative_reads<At>; } ||
    requires(const F& f, G g, T... operands) { f.template derivative<At>(g, operands...); } ||
    (sizeof...(T) == 1 && requires(const F& f, G g, T... operands) { f.derivative(g, operands...); });

}  // namespace situ::internal::functional
