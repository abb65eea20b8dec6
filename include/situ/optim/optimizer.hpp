// SPDX-License-Identifier: Apache-2.0
// The base of every optimizer: for each parameter a few tensors of its shape, and the number of steps it has made. How
// one optimizer uses them is its rule (optim/rule.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/gradients.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/call_count.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/function_ref.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/unary.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/optim/rule.hpp>
#include <situ/optim/stepping.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::optim {

/// The base of optimizers for parameters of elements `T` on device `D`, which changes them by `Rule`. States have the
/// type that `T` computes in: `float` for 16-bit floats, in which a running mean would stop changing.
///
/// An optimizer holds no reference to the module: `step` takes it, and finds the state of a parameter by its number. So
/// both are values, and are copied, moved and sent to devices like others. A checkpoint stores the entries of an
/// optimizer that `for_each_entry` lists: the state tensors, named after the parameters, and `steps`. Settings are
/// code.
template <class Rule, FloatingElement T, Device D>
class Optimizer {
 public:
  using Options = typename Rule::Options;
  using value_type = T;
  using device_type = D;
  using lists_entries = void;
  using state_type = Tensor<compute_t<T>, D>;

  // Guards.
  explicit Optimizer(parameters_on_several_devices_need_another_optimizer::fix_call_spread_optimizer,
                     const Options& = {});
  explicit Optimizer(an_optimizer_takes_the_module::fix_write_the_module_itself, const Options& = {});
  template <HasParameters M, class Fix = the_option_lr_has_another_name::fix_write_dot_learning_rate>
  Optimizer(const M&, const detail::OptionsWithLr&) = delete;
  template <HasParameters M, std::floating_point Rate,
            class Fix = the_learning_rate_is_an_option::fix_write_it_in_braces_with_its_name>
  Optimizer(const M&, Rate) = delete;

  /// With zero states for the parameters of a module. Throws `ValueError` for settings out of range.
  template <HasParameters M>
  explicit Optimizer(const M& net, const Options& options = {})
      : learning_rate(options.learning_rate), options_(options) {
    detail::require_not_negative(options.learning_rate, Rule::name, "learning rate");
    detail::require_not_negative(options.weight_decay, Rule::name, "weight decay");
    Rule::check(options);
    for_each(const_cast<M&>(net), [&](const std::string& name, const Variable<T, D>& parameter) {
      parameters_.push_back({name, parameter.shape()});
      if (!Rule::keeps_states(options)) return;
      for (std::vector<state_type>& state : states_) state.push_back(zeros<compute_t<T>>(parameter.shape(), D{}));
    });
    steps_ = zeros<std::int64_t>({static_cast<std::int64_t>(parameters_.size())});
  }

  /// May be changed between steps: `optimizer.learning_rate = schedule(optimizer.step_count())`.
  double learning_rate;

  /// The largest number of steps that any parameter has made. Throws `CaptureError` in a captured function, whose graph
  /// makes a step at each call.
  [[nodiscard]] std::int64_t step_count() const {
    if (added_ != nullptr) {
      throw CaptureError(
          "step_count in a function that is captured: it is called once, and the graph makes another step at each "
          "call; compute the learning rate before the call, and give it as an input, step(net, gradients, rate)");
    }
    std::int64_t most = 0;
    for (const std::int64_t count : steps_) most = std::max(most, count);
    return most;
  }

  /// Changes each parameter of the module that has a gradient, and its state: in one launch on a GPU, or one for each
  /// 57 parameters or so, and in one parallel loop on the CPU. Throws `ShapeError` for another module than the
  /// optimizer was made for, `ValueError` if none of its parameters has a gradient, and `OutOfMemory`; then nothing has
  /// changed.
  template <HasParametersOn<T, D> M>
  void step(M&& net, const Gradients& gradients) {
    make_step(net, gradients, {.rate = {.value = learning_rate}});
  }
  /// The same with a learning rate in place of `learning_rate`: one element, of any floating type, on the device. It is
  /// read when the step runs, so that a captured graph follows a rate that is an input of the captured function.
  ///
  ///     auto learn = capture<Cuda<0>>(
  ///         [](auto& net, auto& optimizer, const auto& x, const auto& y, const auto& rate) {
  ///           const Variable loss = mse_loss(net(x), y);
  ///           optimizer.step(net, backward(loss), rate);
  ///           return loss.value();
  ///         },
  ///         carry(net, optimizer), x, y, full<double>({}, 1e-3, gpu<0>));
  ///
  /// Throws `ShapeError` for another number of elements too. A number that `double` and the rate's type both have gives
  /// the bits that it gives as `learning_rate`.
  template <HasParametersOn<T, D> M, FloatingTensor R>
    requires(!Recorded<R> && std::same_as<device_t<R>, D>)
  void step(M&& net, const Gradients& gradients, const R& rate) {
    if (rate.size() != 1) {
      throw ShapeError("step: the learning rate has shape " + rate.shape().to_string() + "; it must be one number");
    }
    Tensor<double, D> number;
    if constexpr (std::same_as<value_type_t<R>, double>) number = eval(rate);
    else number = eval(cast<double>(rate));
    if constexpr (HostDevice<D>) {
      make_step(net, gradients, {.rate = {.value = *number.element_pointer()}});
    } else {
      make_step(net, gradients, {.rate = {.in_memory = number.element_pointer()}, .held = &number});
    }
  }

  // Guards, never defined.
  void step(typename the_optimizer_and_the_module_live_on_different_devices<D>::fix_call_dot_to_on_the_optimizer,
            const Gradients&);
  void step(typename the_optimizer_was_made_for_parameters_of<T, D>::fix_make_one_for_this_module, const Gradients&);
  template <class M>
  void step(M&& net, these_gradients_are_of_spread_parameters::fix_make_the_optimizer_by_spread_optimizer);

  /// Calls `f(name, tensor)` for each tensor of the state, always in the same order: `steps`, an int64 tensor on the
  /// CPU, the number of steps of each parameter; then for each kind of state its tensors, `"exp_avg.conv1.weight"`.
  template <class F>
  void for_each_entry(F&& f) {
    visit(*this, f);
  }
  /// Calls f(name, entry) for everything that a checkpoint stores of it.
  template <class F>
  void for_each_entry(F&& f) const {
    visit(*this, f);
  }

  /// Calls `f(count, added)` for the number of steps of each parameter, which a captured graph counts; for the library.
  template <class F>
  void for_each_count(F&& f) {
    const auto steps = steps_.write();
    const internal::AddedByCalls before = added_;
    for (std::int64_t& made : steps) {
      auto count = static_cast<std::uint64_t>(made);
      internal::AddedByCalls added = before == nullptr ? nullptr : before + (&made - steps.data());
      f(count, added);
      if (&made == steps.data()) added_ = added;  // the others follow it
      made = static_cast<std::int64_t>(count);
    }
  }

  /// Calls `f(name, value)` for each numeric setting: those of every optimizer, and those that the rule lists in its
  /// own function `settings(options, f)`.
  template <class F>
  void for_each_setting(F&& f) const {
    f("learning_rate", learning_rate);
    f("weight_decay", static_cast<double>(options_.weight_decay));
    if constexpr (requires { Rule::settings(options_, f); }) Rule::settings(options_, f);
  }

  /// The optimizer with its state on another device, for a module that moves there.
  template <Device To>
  [[nodiscard]] auto to(To = {}, CallSite site = CallSite::here()) const {
    const internal::movement::WholeCall whole("to", site);
    using Moved = typename Rule::template optimizer<T, To>;
    if constexpr (std::same_as<To, D>) return Moved(static_cast<const Moved&>(*this));
    else return Moved(*this);
  }

  [[nodiscard]] const Options& options() const noexcept { return options_; }

 private:
  template <class R, FloatingElement U, Device E>
  friend class Optimizer;

  /// With the state of an optimizer on another device.
  template <Device From>
  explicit Optimizer(const Optimizer<Rule, T, From>& other)
      : learning_rate(other.learning_rate), options_(other.options_), steps_(other.steps_) {
    for (const auto& parameter : other.parameters_) parameters_.push_back({parameter.name, parameter.shape});
    for (std::size_t kind = 0; kind != states; ++kind) {
      for (const auto& state : other.states_[kind]) states_[kind].push_back(state.template to<D>());
    }
  }

  struct Parameter {
    std::string name;
    Shape shape;
  };

  /// One traversal for everything that is done with parameters: it is compiled for each module in the net.
  template <class M>
  static void for_each(M& net, internal::FunctionRef<void(const std::string&, Variable<T, D>&)> f) {
    detail::walk_parameters(net, [&](const std::string& name, auto& parameter) {
      using V = std::remove_cvref_t<decltype(parameter)>;
      static_assert(
          std::same_as<V, Variable<T, D>>,
          "the parameters of one optimizer have one element type and live on one device: make an optimizer for "
          "each part of the module");
      f(name, const_cast<V&>(parameter));
    });
  }

  /// Checks, before anything changes, that the state belongs to this module.
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
                       parameter.shape().to_string() + ", but the optimizer was made for '" + expected.name +
                       "' of shape " + expected.shape.to_string() + "; give it the module that it was made for");
    });
    if (number != parameters_.size()) {
      throw ShapeError("step: the module has " + std::to_string(number) +
                       " parameters, but the optimizer was made for " + std::to_string(parameters_.size()) +
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

  template <class M>
  void make_step(M& net, const Gradients& gradients, const detail::StepRate<D>& rate) {
    check(net, gradients);
    detail::Stepping<T, D> stepping(parameters_.size());
    std::size_t number = 0;
    for_each(net, [&](const std::string&, Variable<T, D>& parameter) {
      const std::size_t at = number++;
      if (gradients.contains(parameter)) stepping.add(parameter, at);
    });
    // If a copy of this optimizer shares the numbers, they get memory of their own before a parameter changes.
    const auto steps = steps_.write();
    Rule::template step<compute_t<T>>(options_, [&](const auto& settings) {
      stepping.make(settings, rate, gradients, steps.data(), added_, states_);
    });
  }

  template <class Self, class F>
  static void visit(Self& self, F& f) {
    f(std::string("steps"), self.steps_);
    for (std::size_t kind = 0; kind != states; ++kind) {
      for (std::size_t at = 0; at != self.states_[kind].size(); ++at) {
        const std::string& name = self.parameters_[at].name;
        f(name.empty() ? std::string(Rule::states[kind]) : Rule::states[kind] + ("." + name), self.states_[kind][at]);
      }
    }
  }

  static constexpr std::size_t states = std::tuple_size_v<std::remove_cv_t<decltype(Rule::states)>>;

  Options options_;
  std::vector<Parameter> parameters_;
  std::array<std::vector<state_type>, states> states_;
  Tensor<std::int64_t, Cpu> steps_;
  internal::AddedByCalls added_ = nullptr;  // to each of them, while a function that carries this is captured
};

}  // namespace situ::optim
