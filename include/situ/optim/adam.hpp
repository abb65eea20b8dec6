// SPDX-License-Identifier: Apache-2.0
// `optim::Adam` and `optim::AdamW`.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include <situ/autograd/gradients.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>
#include <situ/expression/update_each.hpp>
#include <situ/optim/optimizer.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::optim {

/// The settings of `Adam`.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;    // of the mean of the gradients
  double beta2 = 0.999;  // of the mean of their squares
  double epsilon = 1e-8;
  double weight_decay = 0;  // the part of the parameter that is added to its gradient
};

/// The settings of `AdamW`.
struct AdamWOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;  // a step takes this times the learning rate of the parameter away
};

namespace detail {

/// `added` is the decay that goes into the gradient, `kept` what is left of the parameter.
template <class W>
struct AdamStep {
  using lane_functor = void;
  W rate, beta1, share1, beta2, share2, scale, epsilon, added, kept;

  template <class V>
  [[gnu::always_inline]] constexpr Pack<V, V, V> operator()(V p, V mean, V square, V g) const {
    using internal::lane::sqrt;
    if (added != W(0)) g = g + V(added) * p;
    mean = V(beta1) * mean + V(share1) * g;
    square = V(beta2) * square + V(share2) * (g * g);
    const V change = V(rate) * mean / (sqrt(square) / V(scale) + V(epsilon));
    return {{{V(kept) * p - change}, {mean}, {square}}};
  }
};

template <FloatingElement T, Device D, class Options>
class AdamBase : public Optimizer<T, D, 2> {
  using Base = Optimizer<T, D, 2>;
  using W = compute_t<T>;

 public:
  [[nodiscard]] const Options& options() const noexcept { return options_; }

 protected:
  template <class M>
  AdamBase(const M& net, const Options& options, const char* name)
      : Base(net, options.learning_rate, {"exp_avg", "exp_avg_sq"}, true), options_(options) {
    Base::require_settings(name, options.learning_rate, options.weight_decay);
    Base::require(options.beta1 >= 0 && options.beta1 < 1 && options.beta2 >= 0 && options.beta2 < 1, name,
                  "beta1 and beta2 must be at least 0 and less than 1");
    Base::require(options.epsilon >= 0, name, "epsilon is negative");
  }
  template <Device From>
  explicit AdamBase(const AdamBase<T, From, Options>& other) : Base(other), options_(other.options_) {}

  template <class M>
  void make_step(M& net, const Gradients& gradients, bool decoupled) {
    const double rate = this->learning_rate;
    const Options& o = options_;
    Base::update(net, gradients,
                 [&](Tensor<T, D>& value, const Tensor<T, D>& gradient, std::size_t at, std::int64_t made) {
                   const double bias1 = 1 - std::pow(o.beta1, static_cast<double>(made));
                   const double bias2 = 1 - std::pow(o.beta2, static_cast<double>(made));
                   const AdamStep<W> step{static_cast<W>(rate / bias1),
                                          static_cast<W>(o.beta1),
                                          static_cast<W>(1 - o.beta1),
                                          static_cast<W>(o.beta2),
                                          static_cast<W>(1 - o.beta2),
                                          static_cast<W>(std::sqrt(bias2)),
                                          static_cast<W>(o.epsilon),
                                          static_cast<W>(decoupled ? 0 : o.weight_decay),
                                          static_cast<W>(decoupled ? 1 - rate * o.weight_decay : 1)};
                   situ::internal::update_each(step, std::tie(value, Base::state(0, at), Base::state(1, at)), gradient);
                 });
  }

 private:
  template <FloatingElement U, Device E, class O>
  friend class AdamBase;

  Options options_;
};

}  // namespace detail

/// Adam (Kingma and Ba 2015) as torch.optim.Adam defines it. With g = gradient + weight_decay p, the means m of g and v
/// of g^2 move by (1 - beta) of the difference, and the parameter becomes p - learning_rate (m / (1 - beta1^t)) /
/// (sqrt(v / (1 - beta2^t)) + epsilon) at the parameter's step t. One pass over memory for a parameter. The state is
/// `exp_avg` and `exp_avg_sq`, of `float` for 16-bit parameters.
///
///     optim::Adam optimizer(net, {.learning_rate = 1e-3});
///     optimizer.step(net, backward(cross_entropy(net(x), labels)));
///
/// The constructor throws `ValueError` for settings out of range. For `step` see `SGD::step`.
template <FloatingElement T = float, Device D = Cpu>
class Adam : public detail::AdamBase<T, D, AdamOptions> {
  using Base = detail::AdamBase<T, D, AdamOptions>;

 public:
  template <HasParameters M>
  explicit Adam(const M& net, AdamOptions options = {}) : Base(net, options, "Adam") {}

  using Base::step;
  template <HasParametersOn<T, D> M>
  void step(M&& net, const Gradients& gradients) {
    Base::make_step(net, gradients, /*decoupled=*/false);
  }

  /// With its state on another device, for a module that goes there.
  template <Device To>
  [[nodiscard]] Adam<T, To> to(To = {}) const {
    return Adam<T, To>(*this);
  }

 private:
  template <FloatingElement U, Device E>
  friend class Adam;
  template <Device From>
  explicit Adam(const Adam<T, From>& other) : Base(other) {}
};

/// Adam with weight decay apart from the gradient (Loshchilov and Hutter 2019), as torch.optim.AdamW defines it: before
/// the step of `Adam` the parameter is multiplied by 1 - learning_rate weight_decay.
///
///     optim::AdamW optimizer(net, {.learning_rate = 1e-3, .weight_decay = 0.05});
template <FloatingElement T = float, Device D = Cpu>
class AdamW : public detail::AdamBase<T, D, AdamWOptions> {
  using Base = detail::AdamBase<T, D, AdamWOptions>;

 public:
  template <HasParameters M>
  explicit AdamW(const M& net, AdamWOptions options = {}) : Base(net, options, "AdamW") {}

  using Base::step;
  template <HasParametersOn<T, D> M>
  void step(M&& net, const Gradients& gradients) {
    Base::make_step(net, gradients, /*decoupled=*/true);
  }

  /// With its state on another device, for a module that goes there.
  template <Device To>
  [[nodiscard]] AdamW<T, To> to(To = {}) const {
    return AdamW<T, To>(*this);
  }

 private:
  template <FloatingElement U, Device E>
  friend class AdamW;
  template <Device From>
  explicit AdamW(const AdamW<T, From>& other) : Base(other) {}
};

template <HasParameters M>
explicit Adam(const M&, AdamOptions = {})
    -> Adam<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <HasParameters M>
explicit AdamW(const M&, AdamWOptions = {})
    -> AdamW<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;

}  // namespace situ::optim
