// SPDX-License-Identifier: Apache-2.0
// `optim::Adam` and `optim::AdamW`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/optim/optimizer.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/optim/step_numbers.hpp>

namespace situ::optim {

/// The settings of `Adam`.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;    // decay of the mean of the gradients
  double beta2 = 0.999;  // decay of the mean of their squares
  double epsilon = 1e-8;
  double weight_decay = 0;  // this times the parameter is added to its gradient
};

/// The settings of `AdamW`.
struct AdamWOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;  // a step shrinks the parameter by this times the learning rate
};

template <FloatingElement T = float, Device D = Cpu>
class Adam;
template <FloatingElement T = float, Device D = Cpu>
class AdamW;

namespace detail {

/// `added` is the decay that goes into the gradient, `kept` the factor by which the parameter shrinks.
template <class W>
struct AdamStep {
  using lane_functor = void;
  static constexpr std::size_t states = 2;
  W rate, beta1, share1, beta2, share2, scale, epsilon, added, kept;

  template <class V>
  [[SITU_INLINE]] constexpr internal::Pack<V, V, V> operator()(V p, V mean, V square, V g) const {
    using internal::lane::sqrt;
    if (added != W(0)) g = g + V(added) * p;
    mean = V(beta1) * mean + V(share1) * g;
    square = V(beta2) * square + V(share2) * (g * g);
    const V change = V(rate) * mean / (sqrt(square) / V(scale) + V(epsilon));
    return {{{V(kept) * p - change}, {mean}, {square}}};
  }
};

/// What an `AdamStep` is made of. With `decoupled`, the decay shrinks the parameter, and is not added to the gradient.
template <class W>
struct AdamSettings {
  double beta1, beta2, epsilon, decay;
  bool decoupled;

  [[nodiscard]] constexpr AdamStep<W> operator()(double rate, std::int64_t made) const {
    using internal::lane::sqrt;
    return {static_cast<W>(rate / one_minus_power(beta1, made)),
            static_cast<W>(beta1),
            static_cast<W>(1 - beta1),
            static_cast<W>(beta2),
            static_cast<W>(1 - beta2),
            static_cast<W>(sqrt(one_minus_power(beta2, made))),
            static_cast<W>(epsilon),
            static_cast<W>(decoupled ? 0 : decay),
            static_cast<W>(decoupled ? one_minus_product(rate, decay) : 1)};
  }
};

/// `Decoupled`: the decay shrinks the parameter, and is not added to the gradient.
template <class AnyOptions, bool Decoupled>
struct AnyAdamRule {
  using Options = AnyOptions;
  static constexpr std::array<const char*, 2> states{"exp_avg", "exp_avg_sq"};
  static bool keeps_states(const Options&) { return true; }

  static void check(const char* name, const Options& o) {
    require_setting(o.beta1 >= 0 && o.beta1 < 1 && o.beta2 >= 0 && o.beta2 < 1, name,
                    "beta1 and beta2 must be at least 0 and less than 1");
    require_setting(o.epsilon >= 0, name, "epsilon is negative");
  }
  template <class F>
  static void settings(const Options& o, F&& f) {
    f("beta1", o.beta1);
    f("beta2", o.beta2);
    f("epsilon", o.epsilon);
  }

  template <class W, class F>
  static void step(const Options& o, F&& make) {
    make(AdamSettings<W>{o.beta1, o.beta2, o.epsilon, o.weight_decay, Decoupled});
  }
};

struct AdamRule : AnyAdamRule<AdamOptions, false> {
  template <class T, class D>
  using optimizer = Adam<T, D>;
  static constexpr const char* name = "Adam";
  static void check(const Options& options) { AnyAdamRule::check(name, options); }
};
struct AdamWRule : AnyAdamRule<AdamWOptions, true> {
  template <class T, class D>
  using optimizer = AdamW<T, D>;
  static constexpr const char* name = "AdamW";
  static void check(const Options& options) { AnyAdamRule::check(name, options); }
};

}  // namespace detail

/// Adam (Kingma and Ba 2015) as torch.optim.Adam defines it. With g = gradient + weight_decay p, the means m of g and v
/// of g^2 move by (1 - beta) of the difference, and the parameter becomes p - learning_rate (m / (1 - beta1^t)) /
/// (sqrt(v / (1 - beta2^t)) + epsilon) at the parameter's step t. One pass over memory for each parameter. The state is
/// `exp_avg` and `exp_avg_sq`, `float` for 16-bit parameters.
///
///     optim::Adam optimizer(net, {.learning_rate = 1e-3});
///     optimizer.step(net, backward(cross_entropy(net(x), labels)));
///
/// The constructor throws `ValueError` for settings out of range. For `step` see `Optimizer::step`.
template <FloatingElement T, Device D>
class Adam : public Optimizer<detail::AdamRule, T, D> {
 public:
  using Optimizer<detail::AdamRule, T, D>::Optimizer;
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019), as torch.optim.AdamW defines it: before the step of
/// `Adam` the parameter is multiplied by 1 - learning_rate weight_decay.
///
///     optim::AdamW optimizer(net, {.learning_rate = 1e-3, .weight_decay = 0.05});
template <FloatingElement T, Device D>
class AdamW : public Optimizer<detail::AdamWRule, T, D> {
 public:
  using Optimizer<detail::AdamWRule, T, D>::Optimizer;
};

template <HasParameters M>
explicit Adam(const M&, AdamOptions = {})
    -> Adam<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <HasParameters M, std::floating_point Rate>
Adam(const M&, Rate) -> Adam<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <HasParameters M>
Adam(const M&, detail::OptionsWithLr)
    -> Adam<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <detail::NoModule M>
explicit Adam(const M&, AdamOptions = {}) -> Adam<>;
template <HasParameters M>
explicit AdamW(const M&, AdamWOptions = {})
    -> AdamW<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <HasParameters M, std::floating_point Rate>
AdamW(const M&,
      Rate) -> AdamW<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <HasParameters M>
AdamW(const M&, detail::OptionsWithLr)
    -> AdamW<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <detail::NoModule M>
explicit AdamW(const M&, AdamWOptions = {}) -> AdamW<>;

}  // namespace situ::optim
