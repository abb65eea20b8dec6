// SPDX-License-Identifier: Apache-2.0
// `Group`: ranks that call collectives together, each with a device of one type.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/core/call_site.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/device/placed.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/distributed/collectives.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/replicas.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>
#include <situ/world/call.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/exchange.hpp>
#include <situ/world/pending.hpp>
#include <situ/world/perform.hpp>
#include <situ/world/rank.hpp>
#include <situ/world/ranks.hpp>
#include <situ/world/start.hpp>
#include <situ/world/state.hpp>

namespace situ {

namespace internal::world {
inline void barrier(GroupState& group, CallSite site) {
  run(group, Call("barrier", {}, {}, Shape{}, site), [](Collective& collective) {
    collective.compare();  // which waits for all
  });
}
}  // namespace internal::world

/// Ranks that call collectives together, each on a device of type `D`: `world.on(gpu<0>)`. All of them must call the
/// same collectives in the same order. A handle: copies denote the same group.
template <Device D>
class Group {
 public:
  using device_type = D;

  /// For the library.
  explicit Group(std::shared_ptr<internal::world::GroupState> state) noexcept : state_(std::move(state)) {}

  /// The number of this process in the group, and the size of the group.
  [[nodiscard]] Rank rank() const noexcept { return Rank(state_->rank()); }
  [[nodiscard]] int size() const noexcept { return state_->size(); }
  [[nodiscard]] static constexpr D device() noexcept { return {}; }

  /// Waits until all ranks of the group have called it.
  void barrier(CallSite site = CallSite::here()) const { internal::world::barrier(*state_, site); }

  /// The ranks of this group with the same color as this one, numbered in the same order. Two splits make a mesh: of 6
  /// ranks, three adjacent ones share a model, and two with the same part of it share the data:
  ///
  ///     Group tensor = group.split(group.rank().number / 3);   // {0 1 2} {3 4 5}
  ///     Group data = group.split(group.rank().number % 3);     // {0 3} {1 4} {2 5}
  [[nodiscard]] Group split(int color, CallSite site = CallSite::here()) const {
    if (color < 0) throw ValueError("Group::split: the color is " + std::to_string(color) + "; it must not be below 0");
    return Group(internal::world::split(*state_, color, site));
  }

  // From tensors to spread values.

  /// This rank's piece of a tensor that every rank has, on any device: each takes its own, and nothing is sent. The
  /// pieces are those of `shard<Axis>(x, devices...)`. Throws `ShapeError` for an axis that does not exist.
  template <int Axis, internal::Sendable X>
  [[nodiscard]] Spread<value_type_t<X>, Sharded<Axis>, Ranks<D>> shard(const X& x) const {
    internal::require_axis(Axis, x.shape(), "shard");
    return {mesh(), x.shape(), internal::cut<Axis>(x, mesh())};
  }

  /// Copies the tensor of one rank to all ranks, each of which passes one of that shape: the others' elements are
  /// ignored.
  ///
  ///     Spread w = group.replicate(randn<float>({n, m}));   // all train from the weights of rank 0
  template <internal::Sendable X>
  [[nodiscard]] Spread<value_type_t<X>, Replicated, Ranks<D>> replicate(const X& x, Rank root = Rank{0},
                                                                        CallSite site = CallSite::here()) const {
    require_member(root, "replicate");
    const internal::AtSite here(site);
    const Tensor<value_type_t<X>, device_t<X>> own = eval(x);
    return {mesh(), own.shape(), mesh().broadcast(std::tuple(own.template to<D>()), root.number)};
  }

  template <int Axis>
  never_made shard(sending_would_lose_the_gradient::fix_call_no_grad) const;
  never_made replicate(sending_would_lose_the_gradient::fix_call_no_grad, Rank = Rank{0}) const;

  /// Declares the layout of the tensors that the ranks have. Only shapes are exchanged: throws `ShapeError`, on all
  /// ranks, for shapes that parts in that layout cannot have (see `as` for devices).
  ///
  ///     Spread x = group.as<Sharded<0>>(rows_of(world.rank()));
  ///     Spread g = group.as<Partial<>>(gradient);
  template <SpreadLayout L, internal::Sendable X>
    requires std::same_as<device_t<X>, D>
  [[nodiscard]] Spread<value_type_t<X>, L, Ranks<D>> as(const X& x, CallSite site = CallSite::here()) const {
    using T = value_type_t<X>;
    Tensor<T, D> part = eval(x);
    Shape whole = part.shape();
    if constexpr (!std::same_as<L, Local>) {
      // The extents of pieces differ; the rest must be equal, and comes from comparing the shapes themselves.
      internal::world::Call call("as<" + internal::LayoutFacts<L>::name() + ">", {}, dtype_name<T>(), Shape{}, site);
      call.own = part.shape();
      whole =
          internal::whole_shape<L>(internal::world::run(*state_, call, [&](internal::world::Collective& collective) {
            return internal::world::all_shapes(collective, part.shape());
          }));
      if constexpr (checked_build && std::same_as<L, Replicated>) require_equal(part, "as<Replicated>", site);
    }
    return {mesh(), whole, std::tuple(std::move(part))};
  }
  template <SpreadLayout L>
  never_made as(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) const;

  /// The whole value on one rank; the others get nothing. If all parts are equal, that rank's own.
  template <internal::SpreadTensor X>
    requires(std::same_as<internal::spread_mesh_t<X>, internal::RankMesh<D>> &&
             (std::same_as<layout_t<X>, Replicated> || internal::is_sharded<layout_t<X>>))
  [[nodiscard]] std::optional<Tensor<internal::spread_element_t<X>, D>> gather(const X& x, Rank root = Rank{0},
                                                                               CallSite site = CallSite::here()) const {
    using T = internal::spread_element_t<X>;
    require_member(root, "gather");
    require_own(x);
    const Tensor<T, D> part = local(x);
    if constexpr (checked_build && std::same_as<layout_t<X>, Replicated>) require_equal(part, "gather", site);
    if (size() == 1 || std::same_as<layout_t<X>, Replicated>)
      return rank() == root ? std::optional<Tensor<T, D>>(part) : std::nullopt;
    const internal::world::Call call("gather to rank " + std::to_string(root.number),
                                     internal::LayoutFacts<layout_t<X>>::name(), dtype_name<T>(), x.shape(), site);
    return internal::world::run(*state_, call, [&](internal::world::Collective& collective) {
      return internal::world::gather(collective, part, internal::sharded_axis<layout_t<X>>, x.shape(), root.number);
    });
  }
  never_made gather(a_partial_sum_is_not_a_value::fix_call_all_reduce) const;

  // Collectives of values spread over this group, like the functions of these names; and their asynchronous forms.

  /// The sum over the group's ranks, or the maximum or minimum, as the layout says; each rank gets all of it. Throws
  /// `ValueError` for a value spread over another group, and `CollectiveError` and classes derived from it.
  ///
  ///     Spread total = group.all_reduce(group.as<Partial<>>(x));       // Partial<> -> Replicated
  template <internal::PartialTensor X>
  [[nodiscard]] auto all_reduce(const X& x, CallSite site = CallSite::here()) const {
    require_own(x);
    return situ::all_reduce(x, site);
  }
  /// The same sum; each rank keeps its piece along `Axis`. Throws as `all_reduce`, and `ShapeError` for an axis that
  /// does not exist.
  template <int Axis, internal::PartialTensor X>
  [[nodiscard]] auto reduce_scatter(const X& x, CallSite site = CallSite::here()) const {
    require_own(x);
    return situ::reduce_scatter<Axis>(x, site);
  }
  /// The pieces of all ranks, gathered on each of them. Throws as `all_reduce`.
  template <internal::ShardedTensor X>
  [[nodiscard]] auto all_gather(const X& x, CallSite site = CallSite::here()) const {
    require_own(x);
    return situ::all_gather(x, site);
  }
  /// Pieces along another axis; no rank ever holds the whole. Throws as `reduce_scatter`.
  template <int Axis, internal::ShardedTensor X>
  [[nodiscard]] auto reshard(const X& x, CallSite site = CallSite::here()) const {
    require_own(x);
    return situ::reshard<Axis>(x, site);
  }

  never_made all_reduce(a_replicated_value_is_summed_already::fix_leave_out_the_reduction) const;
  never_made all_reduce(a_sharded_value_is_no_sum::fix_call_all_gather) const;
  template <int Axis>
  never_made reduce_scatter(a_replicated_value_is_summed_already::fix_leave_out_the_reduction) const;
  never_made all_reduce(a_local_value_is_no_part_of_a_whole::fix_say_by_as_what_it_is) const;
  template <int Axis>
  never_made reduce_scatter(a_sharded_value_is_no_sum::fix_call_all_gather) const;
  never_made all_gather(every_device_has_all_of_it::fix_leave_it_out_or_call_shard) const;
  never_made all_gather(a_partial_sum_is_not_a_value::fix_call_all_reduce) const;
  template <int Axis>
  never_made reshard(every_device_has_all_of_it::fix_leave_it_out_or_call_shard) const;
  template <int Axis>
  never_made reshard(a_partial_sum_is_not_a_value::fix_call_all_reduce) const;

  /// Asynchronous `all_reduce`, while this rank computes: a `Pending`, whose `wait` returns the value or throws the
  /// collective's exception.
  template <internal::PartialTensor X>
  [[nodiscard]] auto all_reduce_async(const X& x, CallSite site = CallSite::here()) const {
    const internal::AtSite here(site);
    require_own(x);
    constexpr ReduceOp op = internal::reduce_op<layout_t<X>>;
    return pending<Replicated>(x, mesh().template reduction<op>(local(x)));
  }
  never_made all_reduce_async(a_replicated_value_is_summed_already::fix_leave_out_the_reduction) const;
  never_made all_reduce_async(a_sharded_value_is_no_sum::fix_call_all_gather) const;
  /// Asynchronous `reduce_scatter`; see `all_reduce_async`. An axis that does not exist is an error of this call.
  template <int Axis, internal::PartialTensor X>
  [[nodiscard]] auto reduce_scatter_async(const X& x, CallSite site = CallSite::here()) const {
    const internal::AtSite here(site);
    require_own(x);
    internal::require_axis(Axis, x.shape(), "reduce_scatter_async");
    constexpr ReduceOp op = internal::reduce_op<layout_t<X>>;
    return pending<Sharded<Axis>>(x, mesh().template scattered_reduction<op, Axis>(local(x)));
  }
  /// Asynchronous `all_gather`; see `all_reduce_async`.
  template <internal::ShardedTensor X>
  [[nodiscard]] auto all_gather_async(const X& x, CallSite site = CallSite::here()) const {
    const internal::AtSite here(site);
    require_own(x);
    return pending<Replicated>(x, mesh().template gathering<internal::sharded_axis<layout_t<X>>>(local(x), x.shape()));
  }
  /// Asynchronous `reshard`; see `reduce_scatter_async`.
  template <int Axis, internal::ShardedTensor X>
  [[nodiscard]] auto reshard_async(const X& x, CallSite site = CallSite::here()) const {
    const internal::AtSite here(site);
    require_own(x);
    internal::require_axis(Axis, x.shape(), "reshard_async");
    return pending<Sharded<Axis>>(
        x, mesh().template exchange<internal::sharded_axis<layout_t<X>>, Axis>(local(x), x.shape()));
  }

  /// Whether two are the same group.
  friend bool operator==(const Group& a, const Group& b) noexcept { return a.state_ == b.state_; }

  /// For the library.
  [[nodiscard]] internal::RankMesh<D> mesh() const noexcept { return internal::RankMesh<D>(state_); }

 private:
  void require_member(Rank rank, const char* operation) const {
    if (rank.number >= 0 && rank.number < size()) return;
    throw IndexError(std::string("Group::") + operation + ": rank " + std::to_string(rank.number) + " of a group of " +
                     std::to_string(size()));
  }
  template <class X>
  void require_own(const X& x) const {
    if (!(x.mesh() == mesh())) throw ValueError("the value is spread over another group; call its group's function");
  }
  /// In a checked build, throws `ValueError` on all ranks unless their parts are bitwise equal.
  template <Element T>
  void require_equal(const Tensor<T, D>& part, const char* operation, CallSite site) const {
    const internal::world::Call call(std::string(operation) + ", replicas", {}, dtype_name<T>(), part.shape(), site);
    const int other = internal::world::run(*state_, call, [&](internal::world::Collective& collective) {
      return internal::world::first_that_differs(collective, internal::content_hash(part));
    });
    if (other == 0) return;
    throw ValueError(std::string(operation) + ": the replicas differ: that of " +
                     mesh().place(static_cast<std::size_t>(other)) + " is not equal to that of " + mesh().place(0) +
                     "; what changes one of them must change all");
  }
  template <class Layout, class X, class Task>
  [[nodiscard]] auto pending(const X& x, Task task) const {
    using T = internal::spread_element_t<X>;
    return Pending<Spread<T, Layout, Ranks<D>>>(mesh(), x.shape(), mesh().later(std::move(task)));
  }

  std::shared_ptr<internal::world::GroupState> state_;
};

// A group in place of devices, for code that runs over either.

/// This rank's piece of a tensor that every rank has; see `Group::shard`.
template <int Axis, internal::Sendable X, Device D>
[[nodiscard]] Spread<value_type_t<X>, Sharded<Axis>, Ranks<D>> shard(const X& x, const Group<D>& group) {
  return group.template shard<Axis>(x);
}
/// The tensor of rank 0 on all ranks; see `Group::replicate`.
template <internal::Sendable X, Device D>
[[nodiscard]] Spread<value_type_t<X>, Replicated, Ranks<D>> replicate(const X& x, const Group<D>& group,
                                                                      CallSite site = CallSite::here()) {
  return group.replicate(x, Rank{0}, site);
}

}  // namespace situ
