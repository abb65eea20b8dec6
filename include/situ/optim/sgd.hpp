// SPDX-License-Identifier: Apache-2.0
// `optim::SGD`: stochastic gradient descent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/pack.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/optim/optimizer.hpp>
#include <situ/optim/parameters.hpp>

namespace situ::optim {

/// The settings of `SGD`.
struct SGDOptions {
  double learning_rate = 1e-3;
  double momentum = 0;      // 0: no momentum, and no state
  double dampening = 0;     // of the gradient added to the momentum
  double weight_decay = 0;  // this times the parameter is added to its gradient
  bool nesterov = false;
};

template <FloatingElement T = float, Device D = Cpu>
class SGD;

namespace detail {

template <class W>
struct SGDStep {
  using lane_functor = void;
  static constexpr std::size_t states = 0;
  W rate, decay;

  template <class V>
  [[SITU_INLINE]] constexpr internal::Pack<V> operator()(V p, V g) const {
    if (decay != W(0)) g = g + V(decay) * p;
    return {{{p - V(rate) * g}}};
  }
};

template <class W>
struct MomentumStep {
  using lane_functor = void;
  static constexpr std::size_t states = 1;
  W rate, decay, momentum, share;
  bool nesterov;

  template <class V>
  [[SITU_INLINE]] constexpr internal::Pack<V, V> operator()(V p, V buffer, V g) const {
    if (decay != W(0)) g = g + V(decay) * p;
    buffer = V(momentum) * buffer + V(share) * g;
    const V change = nesterov ? V(g + V(momentum) * buffer) : buffer;
    return {{{p - V(rate) * change}, {buffer}}};
  }
};

/// What the steps are made of.
template <class W>
struct SGDSettings {
  W decay;

  [[nodiscard]] constexpr SGDStep<W> operator()(double rate, std::int64_t) const {
    return {static_cast<W>(rate), decay};
  }
};
template <class W>
struct MomentumSettings {
  W decay, momentum, share;
  bool nesterov;

  [[nodiscard]] constexpr MomentumStep<W> operator()(double rate, std::int64_t made) const {
    return {static_cast<W>(rate), decay, momentum, made == 1 ? W(1) : share, nesterov};
  }
};

struct SGDRule {
  using Options = SGDOptions;
  template <class T, class D>
  using optimizer = SGD<T, D>;
  static constexpr const char* name = "SGD";
  static constexpr std::array<const char*, 1> states{"momentum_buffer"};
  static bool keeps_states(const Options& o) { return o.momentum != 0; }

  static void check(const Options& o) {
    require_setting(o.momentum >= 0, name, "the momentum is negative");
    require_setting(!o.nesterov || (o.momentum > 0 && o.dampening == 0), name,
                    "nesterov needs a momentum, and no dampening");
  }
  template <class F>
  static void settings(const Options& o, F&& f) {
    f("momentum", o.momentum);
    f("dampening", o.dampening);
    f("nesterov", o.nesterov ? 1.0 : 0.0);
  }

  template <class W, class F>
  static void step(const Options& o, F&& make) {
    const W decay = static_cast<W>(o.weight_decay);
    if (o.momentum == 0) make(SGDSettings<W>{decay});
    else make(MomentumSettings<W>{decay, static_cast<W>(o.momentum), static_cast<W>(1 - o.dampening), o.nesterov});
  }
};

}  // namespace detail

/// Stochastic gradient descent, with momentum (also Nesterov's) and weight decay as torch.optim.SGD defines them: with
/// g = gradient + weight_decay p, the buffer becomes b = momentum b + (1 - dampening) g, initially b = g; and the
/// parameter p - learning_rate b, or p - learning_rate (g + momentum b) with `nesterov`. One pass over memory for each
/// parameter.
///
///     optim::SGD optimizer(net, {.learning_rate = 0.1, .momentum = 0.9});
///     optimizer.step(net, backward(cross_entropy(net(x), labels)));
///
/// The constructor throws `ValueError` for negative settings, and for `nesterov` without momentum or with dampening.
template <FloatingElement T, Device D>
class SGD : public Optimizer<detail::SGDRule, T, D> {
 public:
  using Optimizer<detail::SGDRule, T, D>::Optimizer;
};

template <HasParameters M>
explicit SGD(const M&, SGDOptions = {})
    -> SGD<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <HasParameters M, std::floating_point Rate>
SGD(const M&, Rate) -> SGD<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <HasParameters M>
SGD(const M&, detail::OptionsWithLr)
    -> SGD<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;
template <detail::NoModule M>
explicit SGD(const M&, SGDOptions = {}) -> SGD<>;

}  // namespace situ::optim
