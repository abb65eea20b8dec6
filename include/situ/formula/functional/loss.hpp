// SPDX-License-Identifier: Apache-2.0
// Element-wise losses, averaged by ops/loss.hpp, with derivatives that stay finite where those of their parts do not.
#pragma once

#include <cstddef>

#include <situ/core/config.hpp>
#include <situ/core/lane.hpp>
#include <situ/formula/functional/derivative.hpp>
#include <situ/formula/functional/functor.hpp>
#include <situ/formula/math/activation.hpp>
#include <situ/formula/math/exp.hpp>
#include <situ/formula/math/log.hpp>

namespace situ::internal::functional {

namespace detail {

/// The logarithm `l` of a probability, at least -100; NaN stays.
template <class V>
[[SITU_INLINE]] constexpr V bounded_log(V l) {
  const V least = number<V>(-100);
  return select(l < least, least, l);
}

}  // namespace detail

/// -(y log(p) + (1 - y) log(1 - p)), with logarithms of at least -100.
struct BinaryCrossEntropy : OfFloating<BinaryCrossEntropy> {
  static constexpr const char* name = "bce_loss";

  template <class V>
  constexpr V operator()(V p, V y) const {
    const V yes = detail::bounded_log(math::log(p)), no = detail::bounded_log(math::log1p(-p));
    return -(y * yes + (detail::number<V>(1) - y) * no);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = At == 0 ? reads::operand<0> | reads::operand<1> : reads::operand<0>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V p, V y) const {
    const V least = detail::number<V>(1e-12);
    const V spread = p * (detail::number<V>(1) - p);
    return g * ((p - y) / select(spread < least, least, spread));
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V p) const {
    return g * (detail::bounded_log(math::log1p(-p)) - detail::bounded_log(math::log(p)));
  }
};

/// The same for p = sigmoid(x), without overflow and without a logarithm of 0: |x| w + log(1 + exp(-|x|)), where w is
/// the weight of the other side, y for x below 0 and 1 - y above. (max(x, 0) - x y would cancel for large x and y near
/// 1.)
struct BinaryCrossEntropyWithLogits : OfFloating<BinaryCrossEntropyWithLogits> {
  static constexpr const char* name = "bce_with_logits_loss";

  template <class V>
  constexpr V operator()(V x, V y) const {
    const V zero(lane_element_t<V>(0)), one(lane_element_t<V>(1));
    const V distance = abs(x);
    return distance * select(x < zero, y, one - y) + math::log1p(math::exp(-distance));
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = At == 0 ? reads::operand<0> | reads::operand<1> : reads::operand<0>;
  template <std::size_t At, class V>
    requires(At == 0)
  [[SITU_INLINE]] constexpr V derivative(V g, V x, V y) const {
    // sigmoid(x) - y, written so that 1 - sigmoid(-x) does not cancel against a y of 1.
    const V zero(lane_element_t<V>(0)), one(lane_element_t<V>(1));
    const V least = math::sigmoid(-abs(x));
    return g * select(x < zero, least - y, (one - y) - least);
  }
  template <std::size_t At, class V>
    requires(At == 1)
  [[SITU_INLINE]] constexpr V derivative(V g, V x) const {
    return -(g * x);
  }
};

/// d^2 / 2 for d = |a - b| up to delta, and beyond it the tangent: delta (d - delta / 2).
struct Huber : OfFloating<Huber> {
  static constexpr const char* name = "huber_loss";
  double delta = 1;

  template <class V>
  constexpr V operator()(V a, V b) const {
    const V d = abs(a - b), half = detail::number<V>(0.5), bound = detail::number<V>(delta);
    return select(d > bound, bound * (d - half * bound), half * d * d);
  }
  template <std::size_t At>
  static constexpr unsigned derivative_reads = reads::operand<0> | reads::operand<1>;
  template <std::size_t At, class V>
  [[SITU_INLINE]] constexpr V derivative(V g, V a, V b) const {
    const V slope = g * detail::within(a - b, delta);
    return At == 0 ? slope : -slope;
  }
};

}  // namespace situ::internal::functional
