// SPDX-License-Identifier: Apache-2.0
// Optimizers of spread parameters: any of optim/, with a state for each part on its device.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
#include <situ/device/device.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/nn/members.hpp>
#include <situ/optim/optimizer.hpp>
#include <situ/parallel/compare.hpp>
#include <situ/parallel/diagnostics.hpp>
#include <situ/parallel/gradients.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>

namespace situ {

namespace internal {

/// The parts of parameters on one device, as a module that optim/ accepts.
template <FloatingElement T, Device D>
struct PartList {
  using lists_entries = void;
  std::vector<std::pair<std::string, Variable<T, D>*>> parameters;

  template <class F>
  void for_each_entry(F&& f) const {
    for (const auto& [name, parameter] : parameters) f(name, *parameter);
  }
};

}  // namespace internal

namespace nn::detail {
template <class T, class D>
struct FirstParameter<situ::internal::PartList<T, D>> {
  using type = Variable<T, D>;
};
}  // namespace nn::detail

namespace internal {

/// References to local part `At` of each spread parameter of a module.
template <FloatingElement T, std::size_t At, Device D, class M>
[[nodiscard]] PartList<T, D> part_list(M& module) {
  PartList<T, D> list;
  for_each_parameter_parts(module, [&](const std::string& name, const auto& parameter) {
    static_assert(
        std::same_as<decltype(std::get<At>(parameter.parts)), Variable<T, D>&>,
        "the spread parameters of one optimizer have one element type and one list of devices: make an optimizer "
        "for each part of the module");
    list.parameters.emplace_back(name, &std::get<At>(parameter.parts));
  });
  return list;
}

/// The gradients of these parts.
template <std::size_t At, class M>
[[nodiscard]] Gradients gradients_of_part(M& module, const ReducedGradients& gradients) {
  std::vector<autograd::Collected> list;
  for_each_parameter_parts(module, [&]<class P>(const std::string&, const P& parameter) {
    using T = typename P::value_type;
    const auto* const gradient = gradients.of(parameter);
    if (gradient == nullptr) return;
    const auto& own = std::get<At>(gradient->parts());
    using Own = std::remove_cvref_t<decltype(own)>;
    list.push_back({std::get<At>(parameter.parts).node(),
                    std::make_unique<autograd::HeldTensor<T, typename Own::device_type>>(own)});
  });
  return Gradients(std::move(list));
}

/// Joins the parts of each changed parameter into one parameter again.
template <class M>
void join_parameters(M& module) {
  for_each_parameter_parts(module, [](const std::string&, const auto& parameter) {
    if (!parameter.joined()) parameter.join();
  });
}

/// The mesh of the first spread parameter of a module.
template <class M>
[[nodiscard]] auto mesh_of(M& module) {
  std::optional<typename spread_parameter_t<M>::mesh_type> mesh;
  for_each_parameter_parts(module, [&mesh](const std::string&, const auto& parameter) {
    if (!mesh) mesh.emplace(parameter.mesh);
  });
  return mesh ? *mesh : typename spread_parameter_t<M>::mesh_type();
}

/// An optimizer of optim/ for each local part: the common base of optimizers of spread parameters.
template <class Rule, FloatingElement T, class... D>
class PartOptimizers {
 public:
  using Options = typename Rule::Options;
  using optimizers_type = std::tuple<typename Rule::template optimizer<T, D>...>;

 private:
  optimizers_type optimizers_;

 public:
  /// May be changed between steps, on all ranks.
  double learning_rate;

  /// Before the first step, and every so many steps, the replicas are compared: parameters, settings and states, also
  /// among ranks, as a collective. If they differ, the step throws `ValueError`, on all ranks, with the first
  /// difference and its place. 0: never. The default is 100 in a checked build, otherwise 0; it must be the same on all
  /// ranks. A comparison copies all these to the host.
  std::int64_t compare_every = default_compare_every;

  /// See `Optimizer::step_count`.
  [[nodiscard]] std::int64_t step_count() const { return std::get<0>(optimizers_).step_count(); }

  /// The optimizers of the local parts, a tuple, to save their states.
  [[nodiscard]] optimizers_type& optimizers() noexcept { return optimizers_; }
  [[nodiscard]] const optimizers_type& optimizers() const noexcept { return optimizers_; }
  [[nodiscard]] const Options& options() const noexcept { return std::get<0>(optimizers_).options(); }

 protected:
  template <std::size_t At>
  using DeviceAt = std::tuple_element_t<At, std::tuple<D...>>;

  /// The results of `make` for the numbers of the parts, as constants.
  template <class Make>
  PartOptimizers(const Options& options, const Make& make)
      : optimizers_(made(make, std::index_sequence_for<D...>{})), learning_rate(options.learning_rate) {}
  template <std::size_t At>
  using OptimizerAt = typename Rule::template optimizer<T, DeviceAt<At>>;

  /// Does what `compare_every` says, for a module whose parts at `At` the states of optimizer `At` match, unless
  /// `of_pieces` is set.
  template <class M>
  void compare(M& net, bool of_pieces) {
    if (!turn_.is_due(compare_every)) return;
    std::array<ReplicaFacts, sizeof...(D)> facts;
    autograd::for_each_part<sizeof...(D)>([&](auto at) {
      std::vector<bool> replicated;
      add_parameters<at>(facts[at], replicated, net);
      if (of_pieces) replicated.clear();
      auto& own = std::get<at>(optimizers_);
      own.learning_rate = learning_rate;
      add_optimizer(facts[at], own, replicated);
    });
    compare_replicas(mesh_of(net), facts);
  }

  /// A step of part `At`.
  template <std::size_t At>
  void step_part(const PartList<T, DeviceAt<At>>& list, const Gradients& gradients) {
    auto& own = std::get<At>(optimizers_);
    own.learning_rate = learning_rate;
    own.step(list, gradients);
  }

 private:
  ComparisonTurn turn_;

  template <class Make, std::size_t... At>
  [[nodiscard]] static optimizers_type made(const Make& make, std::index_sequence<At...>) {
    return optimizers_type(make(std::integral_constant<std::size_t, At>{})...);
  }
};

}  // namespace internal

/// An optimizer of optim/ for spread parameters: a state for each part, on its device. Replicas make equal steps with
/// equal gradients, so they stay equal bit for bit; shards make those of their elements. `spread_optimizer` makes one.
///
///     auto optimizer = spread_optimizer<optim::AdamW>(net, {.learning_rate = 3e-4});
///     optimizer.step(net, all_reduce(backward(loss)));
template <class Rule, FloatingElement T, class Mesh, class Devices = typename Mesh::devices>
class SpreadOptimizer;
template <class Rule, FloatingElement T, class Mesh, class... D>
class SpreadOptimizer<Rule, T, Mesh, std::tuple<D...>> : public internal::PartOptimizers<Rule, T, D...> {
  using Base = internal::PartOptimizers<Rule, T, D...>;

 public:
  using typename Base::Options;

  /// With zero states. Throws `ValueError` for settings out of range.
  template <HasSpreadParameters M>
  explicit SpreadOptimizer(const M& net, const Options& options = {})
      : Base(options, [&](auto at) {
          return typename Base::template OptimizerAt<at>(parts<at>(const_cast<M&>(net)), options);
        }) {}

  /// Changes each parameter of the module that has a gradient, on each device. Throws what `Optimizer::step` throws;
  /// the devices before the one that fails have then made the step, and replicas are no longer equal: continue from a
  /// checkpoint. See `compare_every`.
  template <HasSpreadParameters M>
  void step(M&& net, const ReducedGradients& gradients, CallSite site = CallSite::here()) {
    const internal::AtSite here(site);
    this->compare(net, /*of_pieces=*/false);
    std::array<Gradients, sizeof...(D)> own_gradients;  // taken before the parts change
    autograd::for_each_part<sizeof...(D)>(
        [&](auto at) { own_gradients[at] = internal::gradients_of_part<at>(net, gradients); });
    autograd::for_each_part<sizeof...(D)>(
        [&](auto at) { this->template step_part<at>(parts<at>(net), own_gradients[at]); });
    internal::join_parameters(net);
  }
  // Guards, never defined.
  template <HasSpreadParameters M>
  void step(M&& net, these_gradients_are_partial_sums::fix_call_all_reduce);
  template <HasSpreadParameters M>
  void step(M&& net, these_gradients_are_pieces::fix_call_all_reduce);

 private:
  template <std::size_t At, class M>
  [[nodiscard]] static internal::PartList<T, typename Base::template DeviceAt<At>> parts(M& net) {
    return internal::part_list<T, At, typename Base::template DeviceAt<At>>(net);
  }
};

namespace internal {
template <class Rule, class T, class D>
Rule rule_of(const optim::Optimizer<Rule, T, D>&);
/// The rule of an optimizer of optim/.
template <class O>
using rule_t = decltype(rule_of(std::declval<const O&>()));
template <class O, class M>
using spread_optimizer_t =
    SpreadOptimizer<rule_t<O>, typename spread_parameter_t<M>::value_type, typename spread_parameter_t<M>::mesh_type>;
}  // namespace internal

/// An optimizer of this rule for the spread parameters of a module: `spread_optimizer<optim::Adam>(net)`.
template <template <class, class> class O, HasSpreadParameters M>
[[nodiscard]] internal::spread_optimizer_t<O<float, Cpu>, M> spread_optimizer(
    const M& net, const typename O<float, Cpu>::Options& options = {}) {
  return internal::spread_optimizer_t<O<float, Cpu>, M>(net, options);
}

/// "the parameters are on one device: fix: make the optimizer itself", `optim::Adam optimizer(net)`.
struct the_parameters_are_on_one_device {
  struct fix_make_the_optimizer_itself {
    template <optim::HasParameters M>
    fix_make_the_optimizer_itself(const M&) = delete;
  };
};
template <template <class, class> class O>
O<float, Cpu> spread_optimizer(the_parameters_are_on_one_device::fix_make_the_optimizer_itself,
                               const typename O<float, Cpu>::Options& = {});

}  // namespace situ
