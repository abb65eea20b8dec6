// SPDX-License-Identifier: Apache-2.0
// Losses of spread values: `cross_entropy nll_loss mse_loss huber_loss bce_loss bce_with_logits_loss`; see
// ops/loss.hpp. Each is a mean. For rows that are cut it is a `Partial`: each device contributes the share of its rows,
// so that `all_reduce` returns the mean, however uneven the pieces. All operands are in one layout.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/algebra.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/one_layout.hpp>
#include <situ/distributed/reduce.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/class_loss.hpp>
#include <situ/ops/loss.hpp>
#include <situ/ops/reduce.hpp>

namespace situ {

/// "labels lie otherwise than their rows: fix: spread them alike": `shard<0>` both, or `replicate` both.
template <class RowsLayout>
struct labels_lie_otherwise_than_their_rows {
  struct fix_spread_them_alike {
    template <class LabelsLayout, class Mesh>
      requires(!std::same_as<RowsLayout, LabelsLayout>)
    fix_spread_them_alike(const spread_over<std::int64_t, LabelsLayout, Mesh>&) = delete;
  };
};

/// "the loss of spread values takes no options: fix: call as Partial on the sum of each part". With options, the mean
/// is divided by a count over all devices, of weights and of labels that are not ignored; each device knows only its
/// own. For replicated values each device has the loss, `as<Replicated>`; bring others into one of these layouts first.
struct the_loss_of_spread_values_takes_no_options {
  struct fix_call_as_Partial_on_the_sum_of_each_part {
    template <class T, class Mesh>
    fix_call_as_Partial_on_the_sum_of_each_part(const spread_over<T, Sharded<0>, Mesh>&) = delete;
  };
  struct fix_call_as_Replicated_on_the_loss_of_each_device {
    template <class T, class Mesh>
    fix_call_as_Replicated_on_the_loss_of_each_device(const spread_over<T, Replicated, Mesh>&) = delete;
  };
  struct fix_leave_them_out_to_read_what_the_rows_need_first {
    template <class T, class Layout, class Mesh>
      requires(!std::same_as<Layout, Sharded<0>> && !std::same_as<Layout, Replicated>)
    fix_leave_them_out_to_read_what_the_rows_need_first(const spread_over<T, Layout, Mesh>&) = delete;
  };
};

namespace internal {

namespace operation {
struct LossOfSpreads : OfOneLayout<LossOfSpreads> {};  // named for the guards
}  // namespace operation

/// Rows of classes and labels, in layouts that keep the rows whole.
template <class X, class L>
concept SpreadRowsWithLabels =
    SpreadLike<X> && SpreadLike<L> && FloatingElement<spread_element_t<X>> &&
    std::same_as<spread_element_t<L>, std::int64_t> && std::same_as<spread_mesh_t<X>, spread_mesh_t<L>> &&
    std::same_as<layout_t<X>, layout_t<L>> &&
    (std::same_as<layout_t<X>, Replicated> || std::same_as<layout_t<X>, Local> ||
     std::same_as<layout_t<X>, Sharded<0>>);

/// The loss of a part of the rows, as a term of the loss of all rows.
template <class Loss>
struct LossTerm {
  std::int64_t rows;  // in all
  Loss loss;

  template <class X, class L>
  [[nodiscard]] applied_t<X> operator()(const X& x, const L& labels) const {
    const std::int64_t own = x.shape()[0];
    if (own == rows) return loss(x, labels);
    if (own == 0) return sum(x);  // 0, but a function of the part, as the others are
    return loss(x, labels) * (static_cast<double>(own) / static_cast<double>(rows));
  }
};

template <class Loss, class X, class L>
[[nodiscard]] auto loss_of_rows(const char* name, const char* what, const Loss& loss, const X& x, const L& labels) {
  if constexpr (std::same_as<layout_t<X>, Sharded<0>>) {
    require_labels_of_rows(x.shape(), labels.shape(), name, what);
    return map_parts<Partial<>>(Shape{}, LossTerm<Loss>{x.extent(0), loss}, x, labels);
  } else {
    return map_parts<layout_t<X>>(Shape{}, loss, x, labels);
  }
}

struct CrossEntropyOf {
  template <class X, class L>
  [[nodiscard]] applied_t<X> operator()(const X& x, const L& labels) const {
    return cross_entropy(x, labels);
  }
};
struct NllLossOf {
  template <class X, class L>
  [[nodiscard]] applied_t<X> operator()(const X& x, const L& labels) const {
    return nll_loss(x, labels);
  }
};

/// The element-wise losses are those of ops/loss.hpp: for operands in one layout that is not a `Partial`, or for one
/// and a number. For rows that are cut the mean is a `Partial`.
template <class F, class A, class B>
  requires SpreadOperandsOf<F, A, B>
inline constexpr bool loss_takes<F, A, B> =
    FloatingElement<typename SpreadAgreement<A, B>::element> && !is_partial<elementwise_layout_t<F, A, B>> &&
    (!SpreadLike<A> || !SpreadLike<B> ||
     std::same_as<typename OperandLayout<A>::type, typename OperandLayout<B>::type>);

}  // namespace internal

/// The mean over n examples of `-log_softmax(logits)` at each label. The rows may be cut, but not the classes.
///
///     Spread loss = cross_entropy(logits, labels);  // both Sharded<0>: Partial<>
template <class X, class L>
  requires internal::SpreadRowsWithLabels<X, L>
[[nodiscard]] auto cross_entropy(const X& logits, const L& labels) {
  return internal::loss_of_rows("cross_entropy", "logits", internal::CrossEntropyOf{}, logits, labels);
}
template <class L>
never_made cross_entropy(a_partial_sum_is_not_a_value::fix_call_all_reduce, const L&);
template <class L>
never_made cross_entropy(typename the_axis_is_cut<internal::AxesOf<1>>::fix_call_all_gather_or_reshard, const L&);
template <class T, class L, class M>
  requires(!internal::is_partial<L> && !std::same_as<L, Sharded<1>>)
never_made cross_entropy(const spread_over<T, L, M>&,
                         typename labels_lie_otherwise_than_their_rows<L>::fix_spread_them_alike);
template <class L>
never_made cross_entropy(the_loss_of_spread_values_takes_no_options::fix_call_as_Partial_on_the_sum_of_each_part,
                         const L&, const CrossEntropyOptions&);
template <class L, class W>
never_made cross_entropy(the_loss_of_spread_values_takes_no_options::fix_call_as_Partial_on_the_sum_of_each_part,
                         const L&, const W&, const CrossEntropyOptions& = {});
template <class L>
never_made cross_entropy(the_loss_of_spread_values_takes_no_options::fix_call_as_Replicated_on_the_loss_of_each_device,
                         const L&, const CrossEntropyOptions&);
template <class L, class W>
never_made cross_entropy(the_loss_of_spread_values_takes_no_options::fix_call_as_Replicated_on_the_loss_of_each_device,
                         const L&, const W&, const CrossEntropyOptions& = {});
template <class L>
never_made cross_entropy(
    the_loss_of_spread_values_takes_no_options::fix_leave_them_out_to_read_what_the_rows_need_first, const L&,
    const CrossEntropyOptions&);
template <class L, class W>
never_made cross_entropy(
    the_loss_of_spread_values_takes_no_options::fix_leave_them_out_to_read_what_the_rows_need_first, const L&, const W&,
    const CrossEntropyOptions& = {});

/// The mean over n examples of `-log_probabilities` at each label.
template <class X, class L>
  requires internal::SpreadRowsWithLabels<X, L>
[[nodiscard]] auto nll_loss(const X& log_probabilities, const L& labels) {
  return internal::loss_of_rows("nll_loss", "log_probabilities", internal::NllLossOf{}, log_probabilities, labels);
}
template <class L>
never_made nll_loss(a_partial_sum_is_not_a_value::fix_call_all_reduce, const L&);
template <class L>
never_made nll_loss(typename the_axis_is_cut<internal::AxesOf<1>>::fix_call_all_gather_or_reshard, const L&);
template <class T, class L, class M>
  requires(!internal::is_partial<L> && !std::same_as<L, Sharded<1>>)
never_made nll_loss(const spread_over<T, L, M>&,
                    typename labels_lie_otherwise_than_their_rows<L>::fix_spread_them_alike);
template <class L>
never_made nll_loss(the_loss_of_spread_values_takes_no_options::fix_call_as_Partial_on_the_sum_of_each_part, const L&,
                    const NllLossOptions&);
template <class L, class W>
never_made nll_loss(the_loss_of_spread_values_takes_no_options::fix_call_as_Partial_on_the_sum_of_each_part, const L&,
                    const W&, const NllLossOptions& = {});
template <class L>
never_made nll_loss(the_loss_of_spread_values_takes_no_options::fix_call_as_Replicated_on_the_loss_of_each_device,
                    const L&, const NllLossOptions&);
template <class L, class W>
never_made nll_loss(the_loss_of_spread_values_takes_no_options::fix_call_as_Replicated_on_the_loss_of_each_device,
                    const L&, const W&, const NllLossOptions& = {});
template <class L>
never_made nll_loss(the_loss_of_spread_values_takes_no_options::fix_leave_them_out_to_read_what_the_rows_need_first,
                    const L&, const NllLossOptions&);
template <class L, class W>
never_made nll_loss(the_loss_of_spread_values_takes_no_options::fix_leave_them_out_to_read_what_the_rows_need_first,
                    const L&, const W&, const NllLossOptions& = {});

// The guards of the element-wise losses.
template <class T, class L, class M>
never_made mse_loss(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::operation::LossOfSpreads, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made huber_loss(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::operation::LossOfSpreads, spread_over<T, L, M>>::see_Reason, double = 0);
template <class T, class L, class M>
never_made bce_loss(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::operation::LossOfSpreads, spread_over<T, L, M>>::see_Reason);
template <class T, class L, class M>
never_made bce_with_logits_loss(
    const spread_over<T, L, M>&,
    typename the_operands_do_not_fit<internal::operation::LossOfSpreads, spread_over<T, L, M>>::see_Reason);

}  // namespace situ
