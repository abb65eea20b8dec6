// SPDX-License-Identifier: Apache-2.0
// `Ranks<D>`: the ranks of a group as the place of a `Spread`, one part each; and their mesh, with which everything in
// distributed/ works for them too.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/side_stream.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/world/call.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/exchange.hpp>
#include <situ/world/outcome.hpp>
#include <situ/world/perform.hpp>
#include <situ/world/state.hpp>
#include <situ/world/sums.hpp>

namespace situ {

/// The place of a value of which each rank of a group has one part, on its device `D`: `Spread<float, Sharded<0>,
/// Ranks<Cpu>>`. Every rank sees the same type; the number of ranks is known at run time.
template <Device D>
struct Ranks {};

namespace internal {

/// See distributed/mesh.hpp. A handle of the group. A default-constructed one has no group: only its accessors may be
/// called.
template <Device D>
class RankMesh {
 public:
  using where = Ranks<D>;
  using devices = std::tuple<D>;
  template <Element T>
  using tensors = std::tuple<Tensor<T, D>>;
  template <Element T, class Layout>
  using spread = Spread<T, Layout, Ranks<D>>;
  static constexpr std::size_t local = 1;
  static constexpr bool of_ranks = true;

  RankMesh() noexcept = default;
  explicit RankMesh(std::shared_ptr<world::GroupState> group) noexcept : group_(std::move(group)) {}

  [[nodiscard]] std::size_t size() const noexcept {
    return group_ == nullptr ? 1 : static_cast<std::size_t>(group_->size());
  }
  [[nodiscard]] std::size_t first() const noexcept {
    return group_ == nullptr ? 0 : static_cast<std::size_t>(group_->rank());
  }
  [[nodiscard]] std::string place(std::size_t part) const {
    return "rank " + std::to_string(group_ == nullptr ? 0 : group_->ranks[part]) + " " + D::name();
  }
  [[nodiscard]] const std::shared_ptr<world::GroupState>& group() const noexcept { return group_; }
  friend bool operator==(const RankMesh& a, const RankMesh& b) noexcept { return a.group_ == b.group_; }

  template <ReduceOp Op, Element T>
  [[nodiscard]] tensors<T> all_reduce(const tensors<T>& parts) const {
    return now(reduction<Op>(std::get<0>(parts)));
  }
  template <ReduceOp Op, int Axis, Element T>
  [[nodiscard]] tensors<T> reduce_scatter(const tensors<T>& parts) const {
    return now(scattered_reduction<Op, Axis>(std::get<0>(parts)));
  }
  template <int Axis, Element T>
  [[nodiscard]] tensors<T> all_gather(const tensors<T>& parts, const Shape& shape) const {
    return now(gathering<Axis>(std::get<0>(parts), shape));
  }
  template <int From, int To, Element T>
  [[nodiscard]] tensors<T> all_to_all(const tensors<T>& parts, const Shape& shape) const {
    return now(exchange<From, To>(std::get<0>(parts), shape));
  }
  /// The elements of part `root`, on all ranks; the others pass any tensor of its shape.
  template <Element T>
  [[nodiscard]] tensors<T> broadcast(const tensors<T>& parts, int root) const {
    const Tensor<T, D>& x = std::get<0>(parts);
    return now(task("replicate from rank " + std::to_string(root), {}, x, x.shape(),
                    [x, root](world::Collective& collective) { return world::broadcast(collective, x, root); }));
  }

  /// Begins the asynchronous sum; the returned function waits and returns the result of `all_reduce`.
  template <ReduceOp Op, Element T>
  [[nodiscard]] auto all_reduce_beside(const tensors<T>& parts) const {
    return
        [mesh = *this, outcome = later(reduction<Op>(std::get<0>(parts)))] { return tensors<T>{mesh.wait(*outcome)}; };
  }

  // A task that is not started yet, with handles of everything it reads.
  template <ReduceOp Op, Element T>
  [[nodiscard]] auto reduction(const Tensor<T, D>& x) const {
    return task("all_reduce" + op_name<Op>(), LayoutFacts<Partial<Op>>::name(), x, x.shape(),
                [x](world::Collective& collective) { return world::all_reduce<Op>(collective, x); });
  }
  template <ReduceOp Op, int Axis, Element T>
  [[nodiscard]] auto scattered_reduction(const Tensor<T, D>& x) const {
    return task("reduce_scatter<" + std::to_string(Axis) + ">" + op_name<Op>(), LayoutFacts<Partial<Op>>::name(), x,
                x.shape(),
                [x](world::Collective& collective) { return world::reduce_scatter<Op>(collective, x, Axis); });
  }
  template <int Axis, Element T>
  [[nodiscard]] auto gathering(const Tensor<T, D>& x, const Shape& shape) const {
    return task("all_gather", LayoutFacts<Sharded<Axis>>::name(), x, shape,
                [x, shape](world::Collective& collective) { return world::all_gather(collective, x, Axis, shape); });
  }
  template <int From, int To, Element T>
  [[nodiscard]] auto exchange(const Tensor<T, D>& x, const Shape& shape) const {
    return task(
        "reshard<" + std::to_string(To) + ">", LayoutFacts<Sharded<From>>::name(), x, shape,
        [x, shape](world::Collective& collective) { return world::all_to_all(collective, x, From, To, shape); });
  }

  /// A collective that returns a tensor: its description, its body, and its result for a single rank.
  template <Element T, class Body>
  struct Task {
    world::Call call;
    Tensor<T, D> alone;
    Body body;
  };

  /// Runs now and returns its result as parts; or runs in the queue's thread.
  template <Element T, class Body>
  [[nodiscard]] tensors<T> now(const Task<T, Body>& task) const {
    if (size() == 1) return tensors<T>{task.alone};
    return tensors<T>{world::run(*group_, task.call, task.body)};
  }
  template <Element T, class Body>
  [[nodiscard]] std::shared_ptr<world::Outcome<Tensor<T, D>>> later(Task<T, Body> task) const {
    if (size() > 1) {
      // In a stream of its own on a GPU; otherwise it would wait there for this rank's later work.
      const auto beside = std::make_shared<BesideOtherWork<D>>();
      beside->announce_read(task.alone);
      return world::run_async(group_, std::move(task.call),
                              [beside, body = std::move(task.body)](world::Collective& collective) {
                                const typename BesideOtherWork<D>::Scope scope(*beside);
                                return body(collective);
                              });
    }
    auto outcome = std::make_shared<world::Outcome<Tensor<T, D>>>();
    outcome->keep([&] { return task.alone; });
    return outcome;
  }
  /// Its result. A failure thrown here need not be reported again by the end of the World.
  template <Element T>
  [[nodiscard]] Tensor<T, D> wait(world::Outcome<Tensor<T, D>>& outcome) const {
    const movement::HostWait waits;
    try {
      return outcome.take();
    } catch (...) {
      static_cast<void>(group_->job->queue.take_failure());
      throw;
    }
  }

 private:
  template <ReduceOp Op>
  [[nodiscard]] static std::string op_name() {
    return Op == ReduceOp::sum ? "" : Op == ReduceOp::max ? " (max)" : " (min)";
  }
  template <Element T, class Body>
  [[nodiscard]] static Task<T, Body> task(std::string operation, const std::string& layout, const Tensor<T, D>& x,
                                          const Shape& shape, Body body) {
    return {world::Call(std::move(operation), layout, dtype_name<T>(), shape), x, std::move(body)};
  }

  std::shared_ptr<world::GroupState> group_;
};

template <Device D>
struct MeshOf<Ranks<D>> {
  using type = RankMesh<D>;
};

}  // namespace internal

template <class Layout, Device D, class Part>
Spread(const internal::LazySpread<Layout, internal::RankMesh<D>, Part>&)
    -> Spread<typename internal::LazySpread<Layout, internal::RankMesh<D>, Part>::value_type, Layout, Ranks<D>>;

}  // namespace situ
