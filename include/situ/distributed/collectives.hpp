// SPDX-License-Identifier: Apache-2.0
// The collectives: `all_reduce reduce_scatter all_gather reshard`. Only they and the functions of place.hpp move data.
// Over ranks, the call site is part of what the ranks compare before each collective, and of error messages.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/call_site.hpp>
#include <situ/core/movement.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/distributed/device_collectives.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/spread.hpp>

namespace situ {

namespace internal {

/// The `ReduceOp` of a `Partial`.
template <class Layout>
inline constexpr ReduceOp reduce_op = ReduceOp::sum;
template <ReduceOp Op>
inline constexpr ReduceOp reduce_op<Partial<Op>> = Op;

template <class X>
concept PartialTensor =
    SpreadTensor<X> && is_partial<layout_t<X>> && reducible<reduce_op<layout_t<X>>, spread_element_t<X>>;
template <class X>
concept ShardedTensor = SpreadTensor<X> && is_sharded<layout_t<X>>;

}  // namespace internal

/// The terms combined on every device: their sum, maximum or minimum, as the layout says. GPUs exchange the elements
/// directly, by peer access where they have it. All devices get the same bits, and the same from run to run: terms are
/// added in the order of the devices, and 16-bit floats are added in `float` and rounded once.
///
/// If all devices are GPUs, no two of them the same physical GPU, and NCCL is installed, NCCL adds: in an order of its
/// own, and it may round 16-bit floats after each addition. SITU_NCCL=0 in the environment turns it off.
///
///     Spread total = all_reduce(sum<0>(x));         // of a Sharded<0>: Partial<> -> Replicated
template <internal::PartialTensor X>
[[nodiscard]] auto all_reduce(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("all_reduce", site);
  const internal::AtSite here(site);
  const internal::spread_like_t<layout_t<X>, X> value = eval(x);
  return internal::spread_like_t<Replicated, X>(
      value.mesh(), value.shape(), value.mesh().template all_reduce<internal::reduce_op<layout_t<X>>>(value.parts()));
}
never_made all_reduce(a_replicated_value_is_summed_already::fix_leave_out_the_reduction);
never_made all_reduce(a_sharded_value_is_no_sum::fix_call_all_gather);
never_made all_reduce(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is);
never_made all_reduce(elements_have_no_sum::fix_call_cast);

/// The same, but each device gets only its piece of the result, for half of the bytes: the elements of
/// `shard<Axis>(all_reduce(x))`, bit for bit unless NCCL adds there. Throws `ShapeError` for an axis that does not
/// exist.
template <int Axis, internal::PartialTensor X>
[[nodiscard]] auto reduce_scatter(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("reduce_scatter", site);
  const internal::AtSite here(site);
  internal::require_axis(Axis, x.shape(), "reduce_scatter");
  const internal::spread_like_t<layout_t<X>, X> value = eval(x);
  return internal::spread_like_t<Sharded<Axis>, X>(
      value.mesh(), value.shape(),
      value.mesh().template reduce_scatter<internal::reduce_op<layout_t<X>>, Axis>(value.parts()));
}
template <int Axis>
never_made reduce_scatter(a_replicated_value_is_summed_already::fix_leave_out_the_reduction);
template <int Axis>
never_made reduce_scatter(a_sharded_value_is_no_sum::fix_call_all_gather);
template <int Axis>
never_made reduce_scatter(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is);
template <int Axis>
never_made reduce_scatter(elements_have_no_sum::fix_call_cast);
never_made reduce_scatter(the_call_names_no_axis::fix_write_it_in_angle_brackets, internal::Anything = {});

/// The pieces joined, on every device.
template <internal::ShardedTensor X>
[[nodiscard]] auto all_gather(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("all_gather", site);
  const internal::AtSite here(site);
  const internal::spread_like_t<layout_t<X>, X> value = eval(x);
  return internal::spread_like_t<Replicated, X>(
      value.mesh(), value.shape(),
      value.mesh().template all_gather<internal::sharded_axis<layout_t<X>>>(value.parts(), value.shape()));
}
never_made all_gather(every_device_has_all_of_it::fix_leave_it_out_or_call_shard);
never_made all_gather(a_partial_sum_is_not_a_value::fix_call_all_reduce);
never_made all_gather(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is);

/// The same value cut along another axis: each device sends every other device the elements of its new piece. Throws
/// `ShapeError` for an axis that does not exist.
template <int Axis, internal::ShardedTensor X>
[[nodiscard]] auto reshard(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("reshard", site);
  const internal::AtSite here(site);
  internal::require_axis(Axis, x.shape(), "reshard");
  const internal::spread_like_t<layout_t<X>, X> value = eval(x);
  return internal::spread_like_t<Sharded<Axis>, X>(
      value.mesh(), value.shape(),
      value.mesh().template all_to_all<internal::sharded_axis<layout_t<X>>, Axis>(value.parts(), value.shape()));
}
template <int Axis>
never_made reshard(every_device_has_all_of_it::fix_leave_it_out_or_call_shard);
template <int Axis>
never_made reshard(a_partial_sum_is_not_a_value::fix_call_all_reduce);
template <int Axis>
never_made reshard(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is);
never_made reshard(the_call_names_no_axis::fix_write_it_in_angle_brackets, internal::Anything = {});

}  // namespace situ
