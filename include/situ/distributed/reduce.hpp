// SPDX-License-Identifier: Apache-2.0
// Reductions of spread values, and `softmax`: the layout rules of the functions in ops/, and their guards. The axis
// decides the layout, so it is a template argument, counted from the front, and so is `keepdims`: `sum<1>(x)`,
// `sum<0, 1>(x)`, `sum<1, keepdims>(x)`; `sum(x)` is over all axes. `sum mean min max any all` are finished by each
// device, or left as terms:
//
//     Sharded<k>, over k      a term on each device: Partial<sum>, <min>, <max>, which all_reduce combines
//     Sharded<k>, else        Sharded, with k lowered by 1 for each axis removed before it
//     Replicated, Local       as they are
//     Partial<sum>            its sum is a Partial<sum>; it has no other reduction
//
// The others need all positions of their axes: call `all_gather(x)` first, or `reshard<k>(x)` along another axis.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <situ/core/shape.hpp>
#include <situ/distributed/axis_guards.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/elementwise.hpp>  // for norms of other orders
#include <situ/distributed/layout_rule.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/norm.hpp>
#include <situ/ops/prod.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/softmax.hpp>
#include <situ/ops/variance.hpp>

namespace situ {

namespace internal {

// Over the axis that is cut these make terms, which `all_reduce` combines; the others need all positions.
template <class T, auto... How>
struct RuleOf<reduction::Sum, T, How...> : TermsAlong<ReduceOp::sum, Terms::sums, How...> {};
template <class T, auto... How>
struct RuleOf<reduction::Mean, T, How...> : TermsAlong<ReduceOp::sum, Terms::none, How...> {};
template <class T, auto... How>
struct RuleOf<reduction::Min, T, How...> : TermsAlong<ReduceOp::min, Terms::none, How...> {};
template <class T, auto... How>
struct RuleOf<reduction::Max, T, How...> : TermsAlong<ReduceOp::max, Terms::none, How...> {};
template <class T, auto... How>
struct RuleOf<operation::Truth<reduction::Any>, T, How...> : TermsAlong<ReduceOp::max, Terms::none, How...> {};
template <class T, auto... How>
struct RuleOf<operation::Truth<reduction::All>, T, How...> : TermsAlong<ReduceOp::min, Terms::none, How...> {};

/// The mean of a part, as a term of the mean of the whole: weighted by its share of the positions. (Not its sum divided
/// by the count of the whole: in 16-bit floats a sum overflows where the mean does not.)
template <class A>
struct MeanTerm {
  Shape whole;
  template <class X>
  [[nodiscard]] applied_t<X> operator()(const X& part) const {
    const ReduceAxes axes = A::axes();
    if (part.shape() == whole) return situ::mean(part, axes, A::keep);
    const auto count = [&](const Shape& shape) {
      return static_cast<double>(reduced_count(shape, axes.of(shape, "mean")));
    };
    if (count(part.shape()) == 0 && count(whole) > 0) return situ::sum(part, axes, A::keep);
    return situ::mean(part, axes, A::keep) * (count(part.shape()) / count(whole));
  }
};

/// The smallest or largest element of a part; if the part is empty and others are not, a value that no element is worse
/// than.
template <class A, bool Largest>
struct ExtremeTerm {
  Shape whole;
  template <class X>
  [[nodiscard]] applied_t<X> operator()(const X& part) const {
    using T = value_type_t<X>;
    const ReduceAxes axes = A::axes();
    if (part.shape().count() == 0 && whole.count() > 0) {
      using Limits = std::numeric_limits<T>;
      constexpr bool infinite = FloatingElement<T>;
      const T low = infinite ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
      const T high = infinite ? Limits::infinity() : Limits::max();
      return applied_t<X>(full<T>(A::reduced(part.shape(), "max"), Largest ? low : high, device_t<X>{}));
    }
    if constexpr (Largest) return situ::max(part, axes, A::keep);
    else return situ::min(part, axes, A::keep);
  }
};

template <class Rule>
struct TermOf<reduction::Mean, Rule> {
  [[nodiscard]] static MeanTerm<Rule> of(const Shape& whole, const auto&) { return {whole}; }
};
template <class Rule>
struct TermOf<reduction::Min, Rule> {
  [[nodiscard]] static ExtremeTerm<Rule, false> of(const Shape& whole, const auto&) { return {whole}; }
};
template <class Rule>
struct TermOf<reduction::Max, Rule> {
  [[nodiscard]] static ExtremeTerm<Rule, true> of(const Shape& whole, const auto&) { return {whole}; }
};

}  // namespace internal

// The guards. A pending maximum has no reduction, and a pending sum only its sum.
template <auto... How>
never_made sum(typename internal::WrongTerms<How...>::type);
template <auto... How>
never_made mean(typename internal::WrongTerms<How...>::type);
template <auto... How>
never_made min(typename internal::WrongTerms<How...>::type);
template <auto... How>
never_made max(typename internal::WrongTerms<How...>::type);
template <auto... How>
never_made any(typename internal::WrongTerms<How...>::type);
template <auto... How>
never_made all(typename internal::WrongTerms<How...>::type);
template <auto... How>
never_made prod(typename internal::WrongAxes<How...>::type);
template <auto... How>
never_made prod(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How, std::same_as<Ddof>... Given>
never_made var(typename internal::WrongAxes<How...>::type, Given...);
template <auto... How, std::same_as<Ddof>... Given>
never_made var(a_partial_sum_is_not_a_value::fix_call_all_reduce, Given...);
template <auto... How, std::same_as<Ddof>... Given>
never_made stddev(typename internal::WrongAxes<How...>::type, Given...);
template <auto... How, std::same_as<Ddof>... Given>
never_made stddev(a_partial_sum_is_not_a_value::fix_call_all_reduce, Given...);
template <auto... How, std::same_as<NormOrder>... Given>
never_made norm(typename internal::WrongAxes<How...>::type, Given...);
template <auto... How, std::same_as<NormOrder>... Given>
never_made norm(a_partial_sum_is_not_a_value::fix_call_all_reduce, Given...);
template <auto... How>
never_made argmin(typename internal::WrongAxes<How...>::type);
template <auto... How>
never_made argmin(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made argmax(typename internal::WrongAxes<How...>::type);
template <auto... How>
never_made argmax(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <auto... How>
never_made logsumexp(typename internal::WrongAxes<How...>::type);
template <auto... How>
never_made logsumexp(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <int Axis>
never_made softmax(typename internal::WrongAxis<Axis>::type);
template <int Axis>
never_made softmax(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <int Axis>
never_made log_softmax(typename internal::WrongAxis<Axis>::type);
template <int Axis>
never_made log_softmax(a_partial_sum_is_not_a_value::fix_call_all_reduce);

}  // namespace situ
