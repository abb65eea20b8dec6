// SPDX-License-Identifier: Apache-2.0
// Gradient clipping for spread parameters; see optim/clip.hpp.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/reduce.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/as_elements.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/unary.hpp>
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/modules.hpp>
#include <situ/parallel/sharded_optimizer.hpp>

namespace situ {

namespace internal {

/// Gradients whose terms have been summed.
template <class G>
concept SummedGradients = std::same_as<G, ReducedGradients> || std::same_as<G, ScatteredGradients>;

/// Calls `f(gradient)` for the spread gradient of each parameter of a module that has one.
template <class G, class M, class F>
void for_each_spread_gradient(G& gradients, const M& net, F&& f) {
  for_each_parameter_parts(net, [&](const std::string&, const auto& parameter) {
    auto* const gradient = gradients.of(parameter);
    if (gradient != nullptr) f(*gradient);
  });
}

template <class M>
using spread_norm_t =
    typename spread_parameter_t<M>::mesh_type::template spread<compute_t<typename spread_parameter_t<M>::value_type>,
                                                               Replicated>;

}  // namespace internal

namespace optim {

/// The norm of the gradients of all parameters of a module as if they were one vector, on every device; without
/// gradients an empty value. For sharded gradients an `all_reduce` sums one number per device.
template <internal::SummedGradients G, HasSpreadParameters M>
[[nodiscard]] internal::spread_norm_t<M> norm(const G& gradients, const M& net, CallSite site = CallSite::here()) {
  using Norm = internal::spread_norm_t<M>;
  using W = typename Norm::value_type;
  using Terms = typename Norm::mesh_type::template spread<W, Partial<>>;
  std::optional<Norm> whole;
  std::optional<Terms> terms;
  internal::for_each_spread_gradient(gradients, net, [&]<class S>(const S& gradient) {
    const auto squares = [](const auto& part) { return situ::sum(square(internal::as_elements<W>(part))); };
    if constexpr (internal::is_sharded<layout_t<S>>) {
      const Terms own = internal::map_parts<Partial<>>({}, squares, gradient);
      terms = terms ? Terms(*terms + own) : own;
    } else {
      const Norm own = internal::map_parts<Replicated>({}, squares, gradient);
      whole = whole ? Norm(*whole + own) : own;
    }
  });
  if (terms) {
    const Norm total = all_reduce(*terms, site);
    whole = whole ? Norm(*whole + total) : total;
  }
  return whole ? Norm(sqrt(*whole)) : Norm();
}

/// Multiplies the gradients of all parameters of a module by min(1, most / (norm + 1e-6)), the same on every device;
/// see `clip_by_norm` of `Gradients`. Returns the previous norm. Gradients that are not summed yet have no norm: does
/// not compile.
///
///     ReducedGradients gradients = all_reduce(backward(loss));
///     optim::clip_by_norm(gradients, net, 1.0);
///     optimizer.step(net, gradients);
template <internal::SummedGradients G, HasSpreadParameters M>
internal::spread_norm_t<M> clip_by_norm(G& gradients, const M& net, double most, CallSite site = CallSite::here()) {
  using Norm = internal::spread_norm_t<M>;
  using W = typename Norm::value_type;
  if (!(most >= 0))
    throw ValueError("clip_by_norm: the largest norm is " + std::to_string(most) + "; it must be 0 or more");
  const Norm whole = optim::norm(gradients, net, site);
  if (whole.rank() != 0) return whole;  // no gradients
  const Norm factor = minimum(W(most) / (whole + W(1e-6)), W(1));
  internal::for_each_spread_gradient(gradients, net, [&]<class S>(S& gradient) {
    using T = typename S::value_type;
    gradient = S(internal::map_parts<layout_t<S>>(
        gradient.shape(),
        [](const auto& part, const auto& by) {
          if constexpr (std::same_as<T, W>) return evaluate(part * by);
          else return evaluate(cast<T>(cast<W>(part) * by));
        },
        gradient, factor));
  });
  return whole;
}
template <class M>
void norm(these_gradients_are_partial_sums::fix_call_all_reduce, const M&);
template <class M>
void clip_by_norm(these_gradients_are_partial_sums::fix_call_all_reduce, const M&, double);
template <class M>
void clip_by_value(these_gradients_are_of_spread_parameters::fix_call_clip_by_norm, const M&, double);

}  // namespace optim

}  // namespace situ
