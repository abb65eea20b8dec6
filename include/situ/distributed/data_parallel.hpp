// SPDX-License-Identifier: Apache-2.0
// `DataParallel`: one network on several devices, each of which computes on its part of every batch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/gradients.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/place.hpp>
#include <situ/nn/module.hpp>
#include <situ/nn/rebind.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/structure.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

/// The number of rows of all parts of a batch; throws `ShapeError` unless they have the same.
template <class... X>
[[nodiscard]] std::int64_t batch_rows(const X&... batch) {
  std::int64_t rows = -1;
  const auto look = [&rows](const Shape& shape) {
    if (shape.rank() == 0) {
      throw ShapeError("DataParallel: a part of the batch has shape (), and no rows to divide among the devices");
    }
    if (rows < 0) rows = shape[0];
    if (rows != shape[0]) {
      throw ShapeError("DataParallel: the parts of the batch have " + std::to_string(rows) + " and " +
                       std::to_string(shape[0]) + " rows; all must have the same number");
    }
  };
  (look(batch.shape()), ...);
  if (rows == 0) throw ShapeError("DataParallel: the batch has no rows");
  return rows;
}

}  // namespace internal

/// A network of type `Net` with a replica on each of the devices, which are of one kind. A batch is divided along its
/// first axis, every device computes the gradients of its rows, and all get the same sum of them: those of the whole
/// batch, so that training follows that on one device within rounding. The replicas start equal and make equal steps;
/// they stay so to the bit, without ever being compared.
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
  using Indices = std::index_sequence_for<D...>;
  template <std::size_t At>
  using DeviceAt = std::tuple_element_t<At, std::tuple<D...>>;
  using First = DeviceAt<0>;
  using T = typename optim::detail::parameter_t<Net>::value_type;

 public:
  /// Gradients of the parameters of each replica.
  using AllGradients = std::array<Gradients, sizeof...(D)>;

  /// With replicas of `net`, which may be on any device.
  explicit DataParallel(const Net& net) : replicas_(nn::to<D>(net)...) {}

  /// Replica number `At`, on the device that was named there.
  template <std::size_t At>
  [[nodiscard]] auto& replica() noexcept {
    return std::get<At>(replicas_);
  }
  template <std::size_t At>
  [[nodiscard]] const auto& replica() const noexcept {
    return std::get<At>(replicas_);
  }
  /// The first replica: to save it, to evaluate it, to send it elsewhere. What changes it must change the others as
  /// well.
  [[nodiscard]] auto& module() noexcept { return replica<0>(); }
  [[nodiscard]] const auto& module() const noexcept { return replica<0>(); }

  /// See `nn::train`.
  DataParallel& train(bool on = true) {
    std::apply([on](auto&... each) { (nn::train(each, on), ...); }, replicas_);
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
    const internal::EvenSplit rows(internal::batch_rows(batch...), sizeof...(D));
    const auto parts = std::make_tuple(local(shard<0>(batch, D{}...))...);
    AllGradients gradients;
    std::tuple<Tensor<T, D>...> losses;
    backward_on_each(loss, parts, rows, gradients, losses, Indices{});
    reduce(gradients);
    Tensor<T, First> sum = std::get<0>(losses);
    for_each_device([&](auto at) {
      if constexpr (at > 0) {
        if (std::get<at>(losses).rank() == 0) sum += std::get<at>(losses).template to<First>();
      }
    });
    return std::pair<Tensor<T, First>, AllGradients>(std::move(sum), std::move(gradients));
  }

  /// A step of each replica by the optimiser of its device, as `replicate` gives them.
  template <class... Optimizer>
    requires(sizeof...(Optimizer) == sizeof...(D))
  void step(std::tuple<Optimizer...>& optimizers, const AllGradients& gradients) {
    for_each_device([&](auto at) { std::get<at>(optimizers).step(std::get<at>(replicas_), gradients[at]); });
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
    f(std::get<At>(replicas_), std::get<At>(lists)...);
  }

  /// The work of a device is only issued, so that all of them are busy when the last is reached.
  template <class Loss, class... Parts, std::size_t... At>
  void backward_on_each(Loss& loss, const std::tuple<Parts...>& parts, const internal::EvenSplit& rows,
                        AllGradients& gradients, std::tuple<Tensor<T, D>...>& losses, std::index_sequence<At...>) {
    (backward_on<At>(loss, parts, rows, gradients[At], std::get<At>(losses), std::index_sequence_for<Parts...>{}), ...);
  }
  template <std::size_t At, class Loss, class... Parts, std::size_t... Part>
  void backward_on(Loss& loss, const std::tuple<Parts...>& parts, const internal::EvenSplit& rows,
                   Gradients& gradients, Tensor<T, DeviceAt<At>>& share, std::index_sequence<Part...>) {
    const Range range = rows[At];
    const double weight = static_cast<double>(range.stop - range.start) / static_cast<double>(rows.begin(sizeof...(D)));
    if (weight == 0) return;
    const Variable<T, DeviceAt<At>> value = loss(std::get<At>(replicas_), std::get<At>(std::get<Part>(parts))...);
    if (value.size() != 1) {
      throw ShapeError("DataParallel: the loss has shape " + value.shape().to_string() +
                       "; it must have one element, the mean over the rows");
    }
    const Tensor<T, DeviceAt<At>> factor = full<T>(value.shape(), static_cast<compute_t<T>>(weight), DeviceAt<At>{});
    gradients = situ::backward(value, factor);
    share = reshape(situ::eval(value.value() * factor), Shape{});
  }

  /// Calls `f` with the number of each device as a constant.
  template <class F>
  static void for_each_device(F&& f) {
    [&f]<std::size_t... At>(std::index_sequence<At...>) {
      (f(std::integral_constant<std::size_t, At>{}), ...);
    }(Indices{});
  }

  template <class F>
  static void for_each_parameter(auto& replica, F&& f) {
    std::size_t number = 0;
    nn::for_each_parameter(replica, [&](const std::string&, auto& parameter) {
      static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(parameter)>::value_type, T>,
                    "DataParallel: the parameters of the network must have one element type");
      f(number++, parameter);
    });
  }

  /// The sums over the devices, on each of them. All parameters go together, as one vector: a transfer a parameter
  /// would cost more than the copy.
  void reduce(AllGradients& gradients) {
    if constexpr (sizeof...(D) > 1) {
      std::vector<bool> wanted;  // whether any replica has a gradient of this parameter
      bool any = false;
      for_each_device([&](auto at) {
        for_each_parameter(std::get<at>(replicas_), [&](std::size_t number, const auto& parameter) {
          wanted.resize(std::max(wanted.size(), number + 1));
          wanted[number] = wanted[number] || gradients[at].contains(parameter);
          any = any || wanted[number];
        });
      });
      if (!any) return;
      std::tuple<Tensor<T, D>...> flat;
      for_each_device([&](auto at) { std::get<at>(flat) = joined<at>(gradients[at], wanted); });
      const std::tuple<Tensor<T, D>...> sums = internal::all_reduced<ReduceOp::sum>(flat);
      for_each_device([&](auto at) { gradients[at] = taken_apart<at>(std::get<at>(sums), wanted); });
    }
  }
  template <std::size_t At>
  [[nodiscard]] Tensor<T, DeviceAt<At>> joined(const Gradients& gradients, const std::vector<bool>& wanted) {
    std::vector<Tensor<T, DeviceAt<At>>> list;
    for_each_parameter(std::get<At>(replicas_), [&](std::size_t number, const auto& parameter) {
      if (!wanted[number]) return;
      const Shape flat{parameter.size()};
      if (gradients.contains(parameter))
        list.push_back(reshape(gradients[parameter], flat));
      else
        list.push_back(zeros<T>(flat, DeviceAt<At>{}));
    });
    return concat(list);
  }
  template <std::size_t At>
  [[nodiscard]] Gradients taken_apart(const Tensor<T, DeviceAt<At>>& sums, const std::vector<bool>& wanted) {
    std::vector<autograd::Collected> list;
    std::int64_t begin = 0;
    for_each_parameter(std::get<At>(replicas_), [&](std::size_t number, const auto& parameter) {
      if (!wanted[number]) return;
      Tensor<T, DeviceAt<At>> own = reshape(sums(range(begin, begin + parameter.size())), parameter.shape());
      begin += parameter.size();
      list.push_back({parameter.node(), std::make_unique<autograd::HeldTensor<T, DeviceAt<At>>>(std::move(own))});
    });
    return Gradients(std::move(list));
  }

  std::tuple<nn::rebind_t<Net, D>...> replicas_;
};

/// A `DataParallel` with replicas of a network on the devices named.
template <Device... D, class Net>
  requires(sizeof...(D) > 0 && optim::HasParameters<Net>)
[[nodiscard]] DataParallel<Net, D...> data_parallel(const Net& net) {
  return DataParallel<Net, D...>(net);
}

}  // namespace situ
