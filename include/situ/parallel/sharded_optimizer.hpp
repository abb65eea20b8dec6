// SPDX-License-Identifier: Apache-2.0
// Sharded optimizer state, as stage 1 of ZeRO (Rajbhandari et al. 2020): a device has the state only of its piece of
// each replicated parameter. It gets its piece of the summed gradient, makes the step of that piece, and sends it to
// the others.
#pragma once

#include <array>
#include <concepts>
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
#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/ops/structure.hpp>
#include <situ/parallel/diagnostics.hpp>
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/parameter.hpp>
#include <situ/parallel/reduction.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The layout of a gradient that is cut into one piece for each device.
template <SpreadLayout L>
struct ScatteredLayout : GradientLayout<L> {};
template <>
struct ScatteredLayout<Replicated> {
  using type = Sharded<0>;
};

/// A vector's piece for part `number` of the mesh.
template <class Mesh>
[[nodiscard]] IndexRange piece_of(const Mesh& mesh, std::int64_t count, std::size_t local) {
  return EvenSplit(count, mesh.size())[mesh.first() + local];
}

}  // namespace internal

/// Gradients divided into one piece per device: for a replicated parameter of n elements a `Sharded<0>` of shape (n,);
/// for a sharded one its parts.
class [[nodiscard]] ScatteredGradients : public internal::SpreadGradients<internal::ScatteredLayout> {
 public:
  using SpreadGradients::SpreadGradients;
};

/// Sums the terms of gradients, each device its piece: half the bytes of `all_reduce`, and the same bits.
[[nodiscard]] inline ScatteredGradients reduce_scatter(PendingGradients&& gradients, CallSite site = CallSite::here()) {
  const internal::AtSite here(site);
  std::vector<autograd::Collected> entries = std::move(gradients).take();
  for (autograd::Collected& entry : entries) {
    const auto* const parameter = dynamic_cast<const internal::AnyJointParameter*>(entry.node.get());
    const internal::Reduction scatter = parameter == nullptr ? nullptr : parameter->scatter();
    const std::array<std::unique_ptr<autograd::AnyTensor>*, 1> gradient{&entry.gradient};
    if (scatter != nullptr) scatter(gradient, false);
  }
  return ScatteredGradients(std::move(entries));
}
ScatteredGradients reduce_scatter(these_gradients_are_used_up::fix_call_std_move);

/// An optimizer of optim/ whose state for a replicated parameter is sharded: a device has that of its piece. Its steps
/// are bit for bit those of `SpreadOptimizer`, since the rules of optim/ change one element at a time; `step` gathers
/// the parameters again. Sharded parameters are treated as there. `sharded_optimizer` makes one.
///
///     auto optimizer = sharded_optimizer<optim::Adam>(net, {.learning_rate = 3e-4});
///     optimizer.step(net, reduce_scatter(backward(loss)));
template <class Rule, FloatingElement T, class Mesh, class Devices = typename Mesh::devices>
class ShardedOptimizer;
template <class Rule, FloatingElement T, class Mesh, class... D>
class ShardedOptimizer<Rule, T, Mesh, std::tuple<D...>> : public internal::PartOptimizers<Rule, T, D...> {
  using Base = internal::PartOptimizers<Rule, T, D...>;

  /// The elements that one device's optimizer changes: pieces of replicated parameters, and the parts of others.
  template <Device Own>
  struct Pieces {
    std::vector<std::unique_ptr<Variable<T, Own>>> owned;
    internal::PartList<T, Own> list;
    std::vector<autograd::Collected> gradients;
  };

 public:
  using typename Base::Options;

  /// With zero states. Throws `ValueError` for settings out of range.
  template <HasSpreadParameters M>
  explicit ShardedOptimizer(const M& net, const Options& options = {})
      : Base(options, [&](auto at) {
          return typename Base::template OptimizerAt<at>(pieces_of<at>(const_cast<M&>(net), nullptr).list, options);
        }) {}

  /// Changes each parameter of the module that has a gradient; afterwards every device has all of it. Throws what
  /// `Optimizer::step` throws; the devices before the one that fails have then made their part of the step.
  template <HasSpreadParameters M>
  void step(M&& net, const ScatteredGradients& gradients, CallSite site = CallSite::here()) {
    const internal::AtSite here(site);
    this->compare(net, /*of_pieces=*/true);
    std::tuple<Pieces<D>...> pieces;
    autograd::for_each_part<sizeof...(D)>([&](auto at) { std::get<at>(pieces) = pieces_of<at>(net, &gradients); });
    autograd::for_each_part<sizeof...(D)>([&](auto at) {
      auto& own = std::get<at>(pieces);
      this->template step_part<at>(own.list, Gradients(std::move(own.gradients)));
    });
    gather(net, pieces, gradients);
    internal::join_parameters(net);
  }
  // Guards, never defined.
  template <HasSpreadParameters M>
  void step(M&& net, these_gradients_are_partial_sums::fix_call_reduce_scatter);
  template <HasSpreadParameters M>
  void step(M&& net, these_gradients_are_whole::fix_call_reduce_scatter);

 private:
  template <std::size_t At, class M>
  [[nodiscard]] static Pieces<typename Base::template DeviceAt<At>> pieces_of(M& net,
                                                                              const ScatteredGradients* gradients) {
    using Own = typename Base::template DeviceAt<At>;
    Pieces<Own> pieces;
    internal::for_each_parameter_parts(net, [&]<class P>(const std::string& name, const P& parameter) {
      static_assert(std::same_as<decltype(std::get<At>(parameter.parts)), Variable<T, Own>&>,
                    "the spread parameters of one optimizer have one element type and one list of devices: make an "
                    "optimizer for each part of the module");
      Variable<T, Own>* changed = &std::get<At>(parameter.parts);
      if constexpr (std::same_as<typename P::layout_type, Replicated>) {
        const Tensor<T, Own> flat = reshape(changed->value(), Shape{changed->size()});
        changed = pieces.owned
                      .emplace_back(std::make_unique<Variable<T, Own>>(
                          Tensor<T, Own>(flat(internal::piece_of(parameter.mesh, changed->size(), At)))))
                      .get();
      }
      pieces.list.parameters.emplace_back(name, changed);
      if (gradients == nullptr) return;
      const auto* const gradient = gradients->of(parameter);
      if (gradient == nullptr) return;
      pieces.gradients.push_back(
          {changed->node(), std::make_unique<autograd::HeldTensor<T, Own>>(std::get<At>(gradient->parts()))});
    });
    return pieces;
  }

  /// Gathers replicated parameters from the pieces of all devices.
  template <class M>
  static void gather(M& net, std::tuple<Pieces<D>...>& pieces, const ScatteredGradients& gradients) {
    std::size_t number = 0;
    std::vector<bool> changed;
    internal::for_each_parameter_parts(net, [&]<class P>(const std::string&, const P& parameter) {
      if constexpr (std::same_as<typename P::layout_type, Replicated>) {
        changed.push_back(gradients.of(parameter) != nullptr);
      }
    });
    internal::for_each_parameter_parts(net, [&]<class P>(const std::string&, const P& parameter) {
      if constexpr (std::same_as<typename P::layout_type, Replicated>) {
        const std::size_t own = number++;
        if (!changed[own]) return;
        const auto values = std::apply(
            [own](const auto&... each) { return std::tuple<Tensor<T, D>...>{each.owned[own]->value()...}; }, pieces);
        auto whole = parameter.mesh.template all_gather<0>(values, Shape{parameter.shape.count()});
        autograd::for_each_part<sizeof...(D)>([&](auto at) {
          std::get<at>(parameter.parts).update([&](auto& value) {
            value = reshape(std::move(std::get<at>(whole)), parameter.shape);
          });
        });
      }
    });
  }
};

namespace internal {
template <class O, class M>
using sharded_optimizer_t =
    ShardedOptimizer<rule_t<O>, typename spread_parameter_t<M>::value_type, typename spread_parameter_t<M>::mesh_type>;
}  // namespace internal

/// An optimizer of this rule with sharded state: `sharded_optimizer<optim::Adam>(net)`.
template <template <class, class> class O, HasSpreadParameters M>
[[nodiscard]] internal::sharded_optimizer_t<O<float, Cpu>, M> sharded_optimizer(
    const M& net, const typename O<float, Cpu>::Options& options = {}) {
  return internal::sharded_optimizer_t<O<float, Cpu>, M>(net, options);
}

}  // namespace situ
