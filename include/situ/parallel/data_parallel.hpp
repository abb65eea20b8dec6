// SPDX-License-Identifier: Apache-2.0
// `DataParallel`: one network on several devices, each of which computes on its part of every batch. It is `Replicas`
// with a loss that sees one replica at a time, for losses that are not written for spread values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/place.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/parallel/collectives.hpp>
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/replicas.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

/// The number of rows of all parts of a batch; throws `ShapeError` unless they have the same.
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

/// The mean over some rows of a batch as a term of the mean over all.
template <class T, class D>
[[nodiscard]] Variable<T, D> share_of_loss(const char* name, const Variable<T, D>& mean, double share) {
  if (mean.size() != 1) {
    throw ShapeError(std::string(name) + ": the loss has shape " + mean.shape().to_string() +
                     "; it must have one element, the mean over the rows");
  }
  return reshape(Variable<T, D>(mean * static_cast<compute_t<T>>(share)), Shape{});
}

}  // namespace internal

/// A network of type `Net` with a replica on each of the devices. A batch is divided along its first axis, every device
/// computes the gradients of its rows, and all get the same sum of them: those of the whole batch, so that training
/// follows that on one device within rounding. The replicas start equal and make equal steps; they stay so to the bit,
/// without ever being compared.
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
/// What a layer learns from a batch in passing, such as the running mean of `BatchNorm`, each replica learns from its
/// own rows, as in PyTorch's DistributedDataParallel; `module()` has that of the first.
template <class Net, Device... D>
  requires(sizeof...(D) > 0)
class DataParallel {
  using First = std::tuple_element_t<0, std::tuple<D...>>;
  using T = typename optim::detail::parameter_t<Net>::value_type;
  using Indices = std::index_sequence_for<D...>;

 public:
  /// Gradients of the parameters of each replica.
  using AllGradients = std::array<Gradients, sizeof...(D)>;

  /// With replicas of `net`, which may be on any device.
  explicit DataParallel(const Net& net) : replicas_(situ::replicas(net, D{}...)) {}

  /// Replica number `At`, on the device that was named there.
  template <std::size_t At>
  [[nodiscard]] auto& replica() noexcept {
    return replicas_.template replica<At>();
  }
  /// Replica number `At`, on device number `At`.
  template <std::size_t At>
  [[nodiscard]] const auto& replica() const noexcept {
    return replicas_.template replica<At>();
  }
  /// The first replica: to save it, to evaluate it, to send it elsewhere. What changes it must change the others as
  /// well.
  [[nodiscard]] auto& module() noexcept { return replica<0>(); }
  [[nodiscard]] const auto& module() const noexcept { return replica<0>(); }

  /// See `nn::train`.
  DataParallel& train(bool on = true) {
    replicas_.train(on);
    return *this;
  }
  DataParallel& eval() { return train(false); }

  /// A copy of an optimiser for each replica, a tuple.
  template <class Optimizer>
  [[nodiscard]] auto replicate(const Optimizer& optimizer) const {
    return std::tuple(optimizer.to(D{})...);
  }

  /// The loss of a batch, a tensor on the first device, and its gradients on all. `loss(replica, parts...)` gives the
  /// mean of the loss over the rows that it is given, a variable of one element; parts of more rows count for more.
  /// With fewer rows than devices the last devices have nothing to do. Throws `ShapeError` for parts of a batch that do
  /// not have the same number of rows, and what `loss` throws.
  template <class Loss, class... X>
    requires(sizeof...(X) > 0)
  [[nodiscard]] auto backward(Loss&& loss, const X&... batch) {
    const internal::EvenSplit rows(internal::batch_rows("DataParallel", batch...), sizeof...(D));
    const auto losses = losses_of(loss, rows, Indices{}, shard<0>(batch, D{}...)...);
    replicas_.join();
    const ReducedGradients reduced = std::apply(
        [](const auto&... each) { return backward_and_all_reduce(as<Partial<>>(each...)); }, losses);
    AllGradients gradients;
    Tensor<T, First> sum = std::get<0>(losses).value();
    autograd::for_each_part<sizeof...(D)>([&](auto at) {
      gradients[at] = internal::gradients_of_part<at>(replicas_, reduced);
      if constexpr (at > 0) {
        if (rows.extent(at) > 0) sum += std::get<at>(losses).value().template to<First>();
      }
    });
    return std::pair<Tensor<T, First>, AllGradients>(std::move(sum), std::move(gradients));
  }

  /// A step of each replica by the optimiser of its device, as `replicate` gives them.
  template <class... Optimizer>
    requires(sizeof...(Optimizer) == sizeof...(D))
  void step(std::tuple<Optimizer...>& optimizers, const AllGradients& gradients) {
    autograd::for_each_part<sizeof...(D)>(
        [&](auto at) { std::get<at>(optimizers).step(this->template replica<at>(), gradients[at]); });
    replicas_.join();
  }

  /// Calls `f(replica, each...)` for each replica, with what belongs to it of tuples and arrays with one entry a
  /// device:
  ///
  ///     parallel.for_each([](auto& replica, Gradients& own) { optim::clip_by_norm(own, replica, 1.0); }, gradients);
  template <class F, class... Lists>
  void for_each(F&& f, Lists&... lists) {
    visit(f, Indices{}, lists...);
  }

 private:
  // Functions of the caller are passed on by functions, not held by lambdas: nvcc gives their types a linkage that g++
  // warns of.
  template <class F, std::size_t... At, class... Lists>
  void visit(F& f, std::index_sequence<At...>, Lists&... lists) {
    (visit_one<At>(f, lists...), ...);
  }
  template <std::size_t At, class F, class... Lists>
  void visit_one(F& f, Lists&... lists) {
    f(replica<At>(), std::get<At>(lists)...);
  }

  /// The term of the loss on each device. The work is only issued, so that all are busy when the last is reached.
  template <class Loss, std::size_t... At, class... Parts>
  [[nodiscard]] std::tuple<Variable<T, D>...> losses_of(Loss& loss, const internal::EvenSplit& rows,
                                                        std::index_sequence<At...>, const Parts&... parts) {
    return std::tuple<Variable<T, D>...>{loss_on<At, D>(loss, rows, parts...)...};
  }
  template <std::size_t At, class Own, class Loss, class... Parts>
  [[nodiscard]] Variable<T, Own> loss_on(Loss& loss, const internal::EvenSplit& rows, const Parts&... parts) {
    const double share = static_cast<double>(rows.extent(At)) / static_cast<double>(rows.begin(sizeof...(D)));
    if (share == 0) return situ::constant(zeros<T>({}, Own{}));
    const Variable<T, Own> mean = loss(replica<At>(), std::get<At>(parts.parts())...);
    return internal::share_of_loss("DataParallel", mean, share);
  }

  Replicas<Net, D...> replicas_;
};

/// A `DataParallel` with replicas of a network on the devices named.
template <Device... D, class Net>
  requires(sizeof...(D) > 0 && optim::HasParameters<Net>)
[[nodiscard]] DataParallel<Net, D...> data_parallel(const Net& net) {
  return DataParallel<Net, D...>(net);
}

}  // namespace situ
