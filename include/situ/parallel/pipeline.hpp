// SPDX-License-Identifier: Apache-2.0
// `Pipeline`: consecutive stages of a network, each on its own device. Batches pass through them in pieces, so that all
// devices have work (GPipe, Huang et al. 2019).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/apply.hpp>
#include <situ/autograd/gradients.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/nn/module.hpp>
#include <situ/parallel/data_parallel.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

/// Modules, each of which takes the result of the one before it, on the device of its parameters. The devices are in
/// the type of the stages: the output of a stage is sent to the device of the next, and its gradient comes back.
///
///     Pipeline net(nn::Sequential{...}.to<Cuda<0>>(), nn::Sequential{...}.to<Cuda<1>>());
///     auto optimizers = net.optimizers([](const auto& stage) { return optim::Adam(stage, {.learning_rate = 1e-3}); });
///     auto [loss, gradients] = net.backward(
///         4, [](const auto& scores, const auto& labels) { return cross_entropy(scores, labels); }, x, labels);
///     net.step(optimizers, gradients);
template <class... Stage>
  requires(sizeof...(Stage) > 0 && (!std::is_void_v<nn::parameter_t<Stage>> && ...))
class Pipeline : public nn::Module<Pipeline<Stage...>> {
  template <std::size_t At>
  using DeviceAt = typename nn::parameter_t<std::tuple_element_t<At, std::tuple<Stage...>>>::device_type;
  using Last = DeviceAt<sizeof...(Stage) - 1>;
  using T = typename nn::parameter_t<std::tuple_element_t<0, std::tuple<Stage...>>>::value_type;

 public:
  Pipeline() = default;
  explicit Pipeline(Stage... stages) : stages_(std::move(stages)...) {}

  /// The output of the last stage, on its device; the input may be on any.
  template <TensorLike X>
  [[nodiscard]] auto operator()(const X& x) {
    return after<0>(eval(x));
  }

  /// The loss of a batch, on the last device, and the gradients of all stages. The batch is split along its first axis
  /// into `pieces`, as evenly as possible; their forward passes are issued one after the other, and then the backward
  /// ones: a GPU computes one piece while the next GPU has the piece before it. `loss(output, targets...)` returns the
  /// mean over its rows; the targets are sent to the last device. Throws `ValueError` unless `pieces` is positive, and
  /// `ShapeError` if the parts of a batch differ in their number of rows.
  template <class Loss, class X, class... Targets>
  [[nodiscard]] std::pair<Tensor<T, Last>, Gradients> backward(std::int64_t pieces, Loss&& loss, const X& x,
                                                               const Targets&... targets) {
    if (pieces < 1) throw ValueError("Pipeline: a batch cannot be cut into " + std::to_string(pieces) + " pieces");
    const std::int64_t rows = internal::batch_rows("Pipeline", x, targets...);
    const internal::EvenSplit split(rows, static_cast<std::size_t>(pieces));
    std::vector<Variable<T, Last>> losses;
    for (std::size_t piece = 0; piece != static_cast<std::size_t>(pieces) && split.extent(piece) > 0; ++piece) {
      const IndexRange own = split[piece];
      losses.push_back(loss_of(loss, static_cast<double>(split.extent(piece)) / static_cast<double>(rows), x(own),
                               targets(own).template to<Last>()...));
    }
    Tensor<T, Last> sum = losses[0].value();
    Gradients total = situ::backward(losses[0]);
    // One pass for each piece, not one for all: a stream that reads the result of another GPU waits for everything in
    // that GPU's stream so far, which is then only this piece.
    for (std::size_t piece = 1; piece != losses.size(); ++piece) {
      sum += losses[piece].value();
      total = added(total, situ::backward(losses[piece]));
    }
    return {std::move(sum), std::move(total)};
  }

  /// `make(stage)` for each stage: one optimizer each, a tuple.
  template <class Make>
  [[nodiscard]] auto optimizers(Make make) const {
    return std::apply([&make](const auto&... stage) { return std::tuple(make(stage)...); }, stages_);
  }
  /// A step of each stage.
  template <class... Optimizer>
    requires(sizeof...(Optimizer) == sizeof...(Stage))
  void step(std::tuple<Optimizer...>& optimizers, const Gradients& gradients) {
    autograd::for_each_part<sizeof...(Stage)>(
        [&](auto at) { std::get<at>(optimizers).step(std::get<at>(stages_), gradients); });
  }

  /// Stage number `At`.
  template <std::size_t At>
  [[nodiscard]] auto& stage() noexcept {
    return std::get<At>(stages_);
  }
  /// Stage number `At`.
  template <std::size_t At>
  [[nodiscard]] const auto& stage() const noexcept {
    return std::get<At>(stages_);
  }
  /// All stages, as a tuple; parameters are named by their number, `"0.weight"`.
  [[nodiscard]] std::tuple<Stage...>& layers() noexcept { return stages_; }
  [[nodiscard]] const std::tuple<Stage...>& layers() const noexcept { return stages_; }

 private:
  template <std::size_t At, class X>
  [[nodiscard]] auto after(const X& x) {
    if constexpr (At == sizeof...(Stage)) return x;
    else return after<At + 1>(autograd::as_variable(std::get<At>(stages_)(x.template to<DeviceAt<At>>())));
  }
  template <class Loss, class X, class... Targets>
  [[nodiscard]] Variable<T, Last> loss_of(Loss& loss, double share, const X& x, const Targets&... targets) {
    const Variable<T, Last> mean = loss((*this)(x), targets...);
    return internal::share_of_loss("Pipeline", mean, share);
  }

  /// The sum of the gradients of two pieces.
  [[nodiscard]] Gradients added(const Gradients& a, const Gradients& b) const {
    std::vector<autograd::Collected> list;
    nn::for_each_parameter(*this, [&]<class U, class D>(const std::string&, const Variable<U, D>& parameter) {
      if (!a.contains(parameter) && !b.contains(parameter)) return;
      Tensor<U, D> sum = a.contains(parameter) ? a[parameter] : b[parameter];
      if (a.contains(parameter) && b.contains(parameter)) sum = sum + b[parameter];
      list.push_back({parameter.node(), std::make_unique<autograd::HeldTensor<U, D>>(std::move(sum))});
    });
    return Gradients(std::move(list));
  }

  std::tuple<Stage...> stages_;
};

}  // namespace situ
