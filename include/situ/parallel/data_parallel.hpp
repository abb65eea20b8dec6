// SPDX-License-Identifier: Apache-2.0
// `DataParallel`: one network on several devices, each of which computes its part of every batch. It is `Replicas` with
// a loss that sees one replica at a time, for losses that are not written for spread values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/place.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/random.hpp>
#include <situ/ops/structure.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/parallel/collectives.hpp>
#include <situ/parallel/compare.hpp>
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/replicas.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

/// The common number of rows of all parts of a batch; throws `ShapeError` if they differ.
template <class... X>
[[nodiscard]] std::int64_t batch_rows(const char* name, const X&... batch) {
  std::int64_t rows = -1;
  const auto look = [&rows, name](const Shape& shape) {
    if (shape.rank() == 0) {
      throw ShapeError(std::string(name) + ": a part of the batch has shape (), and no rows to divide");
    }
    if (rows < 0) rows = shape[0];
    if (rows != shape[0]) {
      throw ShapeError(std::string(name) + ": the parts of the batch have " + std::to_string(rows) + " and " +
                       std::to_string(shape[0]) + " rows; all must have the same number");
    }
  };
  (look(batch.shape()), ...);
  if (rows == 0) throw ShapeError(std::string(name) + ": the batch has no rows");
  return rows;
}

/// Turns the mean over some rows of a batch into a term of the mean over all.
template <class T, class D>
[[nodiscard]] Variable<T, D> share_of_loss(const char* name, const Variable<T, D>& mean, double share) {
  if (mean.size() != 1) {
    throw ShapeError(std::string(name) + ": the loss has shape " + mean.shape().to_string() +
                     "; it must have one element, the mean over the rows");
  }
  return reshape(Variable<T, D>(mean * static_cast<compute_t<T>>(share)), Shape{});
}

}  // namespace internal

/// A network of type `Net` with a replica on each of the devices, or on each rank of a group. A batch is divided along
/// its first axis, every device computes the gradients of its rows, and all get the same sum of them: those of the
/// whole batch, so training matches that on one device within rounding. The replicas start equal and make equal steps;
/// they stay equal bit for bit, without being compared.
///
///     DataParallel parallel = data_parallel<Cuda<0>, Cuda<1>>(net);
///     auto optimizers = parallel.replicate(optim::Adam(net, {.learning_rate = 1e-3}));
///     for (...) {
///       auto [loss, gradients] = parallel.backward(
///           [](auto& replica, const auto& x, const auto& y) { return cross_entropy(replica(x), y); }, x, y);
///       parallel.step(optimizers, gradients);
///     }
///     save("net.safetensors", parallel.module());
///
/// With ranks, each calls these with the whole batch and uses its own rows; every rank needs at least one:
///
///     DataParallel parallel = data_parallel(net, world.on(cpu));
///
/// Statistics that a layer gathers from a batch, such as the running mean of `BatchNorm`, come from each replica's own
/// rows, and all begin the next batch with those of the first, as in PyTorch's DistributedDataParallel.
template <class Net, class... Where>
class DataParallel {
  using Mesh = internal::mesh_t<Where...>;
  using First = internal::device_of_part<Mesh, 0>;
  using T = typename optim::detail::parameter_t<Net>::value_type;
  using Indices = std::make_index_sequence<Mesh::local>;

 public:
  /// Gradients of the parameters of each local replica.
  using AllGradients = std::array<Gradients, Mesh::local>;

  explicit DataParallel(Replicas<Net, Where...> replicas) : replicas_(std::move(replicas)) {}
  /// With replicas of `net`, which may be on any device.
  explicit DataParallel(const Net& net)
    requires(!Mesh::of_ranks)
      : DataParallel(situ::replicas(net, Where{}...)) {}

  /// Local replica number `At`, on the device named in that position.
  template <std::size_t At>
  [[nodiscard]] auto& replica() noexcept {
    return replicas_.template replica<At>();
  }
  /// Replica number `At`, on device number `At`.
  template <std::size_t At>
  [[nodiscard]] const auto& replica() const noexcept {
    return replicas_.template replica<At>();
  }
  /// The first replica: to save it, to evaluate it, to send it elsewhere. If you change it, change the others as well.
  [[nodiscard]] auto& module() noexcept { return replica<0>(); }
  [[nodiscard]] const auto& module() const noexcept { return replica<0>(); }

  /// See `nn::train`.
  DataParallel& train(bool on = true) {
    replicas_.train(on);
    return *this;
  }
  DataParallel& eval() { return train(false); }

  /// A copy of an optimizer for each replica, a tuple.
  template <class Optimizer>
  [[nodiscard]] auto replicate(const Optimizer& optimizer) const {
    return std::apply([&optimizer](auto... device) { return std::tuple(optimizer.to(device)...); },
                      typename Mesh::devices{});
  }

  /// The loss of a batch, a tensor on the first device, and its gradients on all. `loss(replica, parts...)` returns the
  /// mean of the loss over its rows, a variable of one element; parts with more rows have more weight. With fewer rows
  /// than devices the last devices are idle. Throws `ShapeError` if the parts of a batch differ in their number of
  /// rows, for fewer rows than ranks, and what `loss` throws.
  template <class Loss, class... X>
    requires(sizeof...(X) > 0)
  [[nodiscard]] auto backward(Loss&& loss, const X&... batch) {
    const std::int64_t count = internal::batch_rows("DataParallel", batch...);
    if constexpr (Mesh::of_ranks) require_rows_for_all(count);
    const internal::EvenSplit rows(count, mesh().size());
    replicas_.share_buffers();
    replicas_.join();  // joins parameters replaced since the last step, before the loss records them
    const auto losses = losses_of(loss, rows, Indices{}, internal::cut<0>(batch, mesh())...);
    replicas_.join();
    const auto terms = internal::make_spread<Partial<>>(mesh(), Shape{}, losses);
    const ReducedGradients reduced = backward_and_all_reduce(terms, {}, internal::current_site());
    AllGradients gradients;
    autograd::for_each_part<Mesh::local>(
        [&](auto at) { gradients[at] = internal::gradients_of_part<at>(replicas_, reduced); });
    return std::pair<Tensor<T, First>, AllGradients>(total(terms, rows), std::move(gradients));
  }

  /// Before the first step, and every so many steps, replicas and optimizers are compared, as by
  /// `SpreadOptimizer::compare_every`.
  std::int64_t compare_every = internal::default_compare_every;

  /// A step of each replica by the optimizer of its device, as from `replicate`; see `compare_every`.
  template <class... Optimizer>
    requires(sizeof...(Optimizer) == Mesh::local)
  void step(std::tuple<Optimizer...>& optimizers, const AllGradients& gradients, CallSite site = CallSite::here()) {
    const internal::AtSite here(site);
    if (turn_.is_due(compare_every)) compare(optimizers);
    autograd::for_each_part<Mesh::local>(
        [&](auto at) { std::get<at>(optimizers).step(this->template replica<at>(), gradients[at]); });
    replicas_.join();
  }

  /// Calls `f(replica, each...)` for each replica, with its entries of tuples and arrays that have one entry per
  /// device. Random numbers that `f` draws without a generator are the same for all:
  ///
  ///     parallel.for_each([](auto& replica, Gradients& own) { optim::clip_by_norm(own, replica, 1.0); }, gradients);
  template <class F, class... Lists>
  void for_each(F&& f, Lists&... lists) {
    internal::SameDraws draws;
    visit(f, draws, Indices{}, lists...);
  }

 private:
  [[nodiscard]] const Mesh& mesh() const noexcept { return replicas_.mesh(); }

  /// A rank without rows would record nothing, and could not know the order in which the others add up their gradients.
  void require_rows_for_all(std::int64_t count) const {
    const auto ranks = static_cast<std::int64_t>(mesh().size());
    if (count >= ranks) return;
    throw ShapeError("DataParallel: the batch has " + std::to_string(count) + " rows for " + std::to_string(ranks) +
                     " ranks; every rank must have one");
  }

  // Functions pass the caller's functions on; lambdas that captured them would have types with a linkage that g++ warns
  // about after nvcc.
  template <class F, std::size_t... At, class... Lists>
  void visit(F& f, internal::SameDraws& draws, std::index_sequence<At...>, Lists&... lists) {
    ((draws.again(), visit_one<At>(f, lists...)), ...);
  }
  template <std::size_t At, class F, class... Lists>
  void visit_one(F& f, Lists&... lists) {
    f(replica<At>(), std::get<At>(lists)...);
  }

  /// The term of the loss on each device. The work is only issued, so all devices are busy once the last is reached.
  template <class Loss, std::size_t... At, class... Parts>
  [[nodiscard]] auto losses_of(Loss& loss, const internal::EvenSplit& rows, std::index_sequence<At...>,
                               const Parts&... parts) {
    return std::tuple<Variable<T, internal::device_of_part<Mesh, At>>...>{loss_on<At>(loss, rows, parts...)...};
  }
  template <std::size_t At, class Loss, class... Parts>
  [[nodiscard]] auto loss_on(Loss& loss, const internal::EvenSplit& rows, const Parts&... parts) {
    using Own = internal::device_of_part<Mesh, At>;
    const std::size_t part = mesh().first() + At;
    const double share = static_cast<double>(rows.extent(part)) / static_cast<double>(rows.begin(mesh().size()));
    if (share == 0) return situ::constant(zeros<T>({}, Own{}));
    const Variable<T, Own> mean = loss(replica<At>(), std::get<At>(parts)...);
    return internal::share_of_loss("DataParallel", mean, share);
  }
  /// The sum of the terms of the loss.
  template <class Terms>
  [[nodiscard]] Tensor<T, First> total(const Terms& terms, const internal::EvenSplit& rows) const {
    if constexpr (Mesh::of_ranks) {
      return local(situ::all_reduce(terms.value(), internal::current_site()));
    } else {
      Tensor<T, First> sum = std::get<0>(terms.parts()).value();
      autograd::for_each_part<Mesh::local>([&](auto at) {
        if constexpr (at > 0) {
          if (rows.extent(at) > 0) sum += std::get<at>(terms.parts()).value().template to<First>();
        }
      });
      return sum;
    }
  }

  template <class Optimizers>
  void compare(const Optimizers& optimizers) {
    std::array<internal::ReplicaFacts, Mesh::local> facts;
    autograd::for_each_part<Mesh::local>([&](auto at) {
      std::vector<bool> replicated;
      internal::add_parameters<at>(facts[at], replicated, replicas_);
      internal::add_optimizer(facts[at], std::get<at>(optimizers), replicated);
    });
    internal::compare_replicas(mesh(), facts);
  }

  Replicas<Net, Where...> replicas_;
  internal::ComparisonTurn turn_;
};

/// A `DataParallel` with replicas of a network on the devices named.
template <Device... D, class Net>
  requires(sizeof...(D) > 0 && optim::HasParameters<Net>)
[[nodiscard]] DataParallel<Net, D...> data_parallel(const Net& net) {
  return DataParallel<Net, D...>(net);
}
/// `data_parallel(net)`: "data_parallel needs devices: fix: write them in angle brackets".
struct data_parallel_needs_devices {
  struct fix_write_them_in_angle_brackets {
    template <class Net>
      requires(!std::is_void_v<nn::parameter_t<Net>>)
    fix_write_them_in_angle_brackets(const Net&) = delete;
  };
};
template <class... Where>
void data_parallel(data_parallel_needs_devices::fix_write_them_in_angle_brackets, const Where&...);
/// A `DataParallel` on the ranks of a group, with the parameters of rank 0.
template <internal::GroupOfRanks G, class Net>
  requires optim::HasParameters<Net>
[[nodiscard]] auto data_parallel(const Net& net, const G& group, CallSite site = CallSite::here()) {
  return DataParallel(replicas(net, group, site));
}

}  // namespace situ
