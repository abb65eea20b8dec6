// SPDX-License-Identifier: Apache-2.0
// The state of every optimiser: for each parameter a few tensors of its shape, and the number of steps it has made.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/gradients.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/ops/creation.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::optim {

/// The base of optimisers over parameters of elements `T` on device `D`, with `States` tensors for each. They are of
/// the type that `T` computes in: `float` for 16-bit floats, in which a running mean would stand still.
///
/// An optimiser holds no reference to the module: `step` is given it, and finds the state of a parameter by its number.
/// So both are values, and are copied, moved and sent to devices like others. What a checkpoint holds of an optimiser
/// are the entries that `for_each_entry` lists: the state tensors, named after the parameters, and `steps`. Settings
/// are code.
template <FloatingElement T, Device D, std::size_t States>
class Optimizer {
 public:
  using value_type = T;
  using device_type = D;
  using lists_entries = void;
  using state_type = Tensor<compute_t<T>, D>;

  /// May be changed between steps: `optimizer.learning_rate = schedule(optimizer.step_count())`.
  double learning_rate;

  /// How many steps the parameter that made most of them has made.
  [[nodiscard]] std::int64_t step_count() const {
    std::int64_t most = 0;
    for (const std::int64_t count : steps_) most = std::max(most, count);
    return most;
  }

  // Guards, never defined.
  void step(typename the_optimizer_and_the_module_live_on_different_devices<D>::fix_call_dot_to_on_the_optimizer,
            const Gradients&);
  void step(typename the_optimizer_was_made_for_parameters_of<T, D>::fix_make_one_for_this_module, const Gradients&);

  /// Calls `f(name, tensor)` for each tensor of the state, in the same order always: `steps`, of int64 on the CPU, the
  /// number of steps of each parameter; then for each kind of state its tensors, `"exp_avg.conv1.weight"`.
  template <class F>
  void for_each_entry(F&& f) {
    visit(*this, f);
  }
  template <class F>
  void for_each_entry(F&& f) const {
    visit(*this, f);
  }

 protected:
  using StateNames = std::array<const char*, States>;

  /// With states of zeros for the parameters of a module; `used`: whether this optimiser needs states at all.
  template <HasParameters M>
  Optimizer(const M& net, double rate, const StateNames& names, bool used) : learning_rate(rate), state_names_(names) {
    for_each(net, [&](const std::string& name, const Variable<T, D>& parameter) {
      parameters_.push_back({name, parameter.shape()});
      if (!used) return;
      for (std::vector<state_type>& state : states_) state.push_back(zeros<compute_t<T>>(parameter.shape(), D{}));
    });
    steps_ = zeros<std::int64_t>({static_cast<std::int64_t>(parameters_.size())});
  }
  /// With the state of one on another device.
  template <Device From>
  explicit Optimizer(const Optimizer<T, From, States>& other)
      : learning_rate(other.learning_rate), state_names_(other.state_names_), steps_(other.steps_) {
    for (const auto& parameter : other.parameters_) parameters_.push_back({parameter.name, parameter.shape});
    for (std::size_t kind = 0; kind != States; ++kind) {
      for (const auto& state : other.states_[kind]) states_[kind].push_back(state.template to<D>());
    }
  }

  /// Calls `f(value, gradient, number, steps)` for each parameter of which there is a gradient: with its value, to be
  /// changed; its number, for `state`; and how many steps it has made, this one included.
  template <class M, class F>
  void update(M& net, const Gradients& gradients, F&& f) {
    check(net, gradients);
    std::size_t number = 0;
    for_each(net, [&](const std::string&, Variable<T, D>& parameter) {
      const std::size_t at = number++;
      if (!gradients.contains(parameter)) return;
      const std::int64_t made = steps_(static_cast<std::int64_t>(at)) + 1;
      parameter.update([&](Tensor<T, D>& value) { f(value, gradients[parameter], at, made); });
      steps_.at(static_cast<std::int64_t>(at)) = made;
    });
  }

  [[nodiscard]] state_type& state(std::size_t kind, std::size_t number) { return states_[kind][number]; }

  /// Throws `ValueError` for a setting that is none.
  static void require(bool holds, const char* optimizer, const std::string& what) {
    if (!holds) throw ValueError(std::string(optimizer) + ": " + what);
  }
  static void require_settings(const char* optimizer, double learning_rate, double weight_decay) {
    require(learning_rate >= 0 && std::isfinite(learning_rate), optimizer,
            "the learning rate is " + std::to_string(learning_rate) + "; it must be 0 or positive, and finite");
    require(weight_decay >= 0 && std::isfinite(weight_decay), optimizer,
            "the weight decay is " + std::to_string(weight_decay) + "; it must be 0 or positive, and finite");
  }

 private:
  template <FloatingElement U, Device E, std::size_t N>
  friend class Optimizer;

  struct Parameter {
    std::string name;
    Shape shape;
  };

  template <class M, class F>
  static void for_each(M& net, F&& f) {
    detail::walk_parameters(net, [&](const std::string& name, auto& parameter) {
      using V = std::remove_cvref_t<decltype(parameter)>;
      static_assert(
          std::same_as<V, Variable<T, D>>,
          "the parameters of one optimiser have one element type and live on one device: make an optimiser for "
          "each part of the module");
      f(name, parameter);
    });
  }

  /// Before anything changes: whether the module is the one that the state is for.
  template <class M>
  void check(M& net, const Gradients& gradients) const {
    std::size_t number = 0;
    bool any = false;
    for_each(net, [&](const std::string& name, const Variable<T, D>& parameter) {
      const std::size_t at = number++;
      any = any || gradients.contains(parameter);
      if (at >= parameters_.size()) return;
      const Parameter& expected = parameters_[at];
      if (expected.name == name && expected.shape == parameter.shape()) return;
      throw ShapeError("step: parameter " + std::to_string(at) + " is '" + name + "' of shape " +
                       parameter.shape().to_string() + ", but the optimiser was made for '" + expected.name +
                       "' of shape " + expected.shape.to_string() + "; give it the module that it was made for");
    });
    if (number != parameters_.size()) {
      throw ShapeError("step: the module has " + std::to_string(number) +
                       " parameters, but the optimiser was made for " + std::to_string(parameters_.size()) +
                       "; give it the module that it was made for");
    }
    for (const std::vector<state_type>& kind : states_) {
      for (std::size_t at = 0; at != kind.size(); ++at) check_state(kind[at].shape(), parameters_[at]);
    }
    if (steps_.shape() == Shape{static_cast<std::int64_t>(parameters_.size())}) {
      if (any || parameters_.empty()) return;
      throw ValueError(
          "step: there is no gradient of any parameter of this module; the gradients are of another one, or of "
          "this one before its last step");
    }
    throw ShapeError("step: 'steps' has shape " + steps_.shape().to_string() + " for " +
                     std::to_string(parameters_.size()) + " parameters; the state that was loaded is another module's");
  }
  static void check_state(const Shape& shape, const Parameter& parameter) {
    if (shape == parameter.shape) return;
    throw ShapeError("step: the state of '" + parameter.name + "' has shape " + shape.to_string() +
                     ", the parameter has " + parameter.shape.to_string() +
                     "; the state that was loaded is another module's");
  }

  template <class Self, class F>
  static void visit(Self& self, F& f) {
    f(std::string("steps"), self.steps_);
    for (std::size_t kind = 0; kind != States; ++kind) {
      for (std::size_t at = 0; at != self.states_[kind].size(); ++at) {
        const std::string& name = self.parameters_[at].name;
        f(name.empty() ? std::string(self.state_names_[kind]) : self.state_names_[kind] + ("." + name),
          self.states_[kind][at]);
      }
    }
  }

  StateNames state_names_;
  std::vector<Parameter> parameters_;
  std::array<std::vector<state_type>, States> states_;
  Tensor<std::int64_t, Cpu> steps_;
};

}  // namespace situ::optim
