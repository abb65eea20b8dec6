// SPDX-License-Identifier: Apache-2.0
// `optim::SGD`: stochastic gradient descent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <situ/autograd/gradients.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/pack.hpp>
#include <situ/expression/update_each.hpp>
#include <situ/optim/optimizer.hpp>
#include <situ/optim/parameters.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::optim {

/// The settings of `SGD`.
struct SGDOptions {
  double learning_rate = 1e-3;
  double momentum = 0;      // 0: none, and no state
  double dampening = 0;     // of a gradient that is added to the momentum
  double weight_decay = 0;  // the part of the parameter that is added to its gradient
  bool nesterov = false;
};

namespace detail {

template <class W>
struct SGDStep {
  using lane_functor = void;
  W rate, decay;

  template <class V>
  [[gnu::always_inline]] constexpr Pack<V> operator()(V p, V g) const {
    if (decay != W(0)) g = g + V(decay) * p;
    return {{{p - V(rate) * g}}};
  }
};

template <class W>
struct MomentumStep {
  using lane_functor = void;
  W rate, decay, momentum, share;
  bool nesterov;

  template <class V>
  [[gnu::always_inline]] constexpr Pack<V, V> operator()(V p, V buffer, V g) const {
    if (decay != W(0)) g = g + V(decay) * p;
    buffer = V(momentum) * buffer + V(share) * g;
    const V change = nesterov ? V(g + V(momentum) * buffer) : buffer;
    return {{{p - V(rate) * change}, {buffer}}};
  }
};

}  // namespace detail

/// Stochastic gradient descent, with momentum (and Nesterov's) and weight decay as torch.optim.SGD defines them: with g
/// = gradient + weight_decay p, the buffer becomes b = momentum b + (1 - dampening) g, at first b = g; and the
/// parameter p - learning_rate b, or p - learning_rate (g + momentum b) with `nesterov`. One pass over memory for a
/// parameter.
///
///     optim::SGD optimizer(net, {.learning_rate = 0.1, .momentum = 0.9});
///     optimizer.step(net, backward(cross_entropy(net(x), labels)));
///
/// The constructor throws `ValueError` for negative settings, and for `nesterov` without momentum or with dampening.
template <FloatingElement T = float, Device D = Cpu>
class SGD : public Optimizer<T, D, 1> {
  using Base = Optimizer<T, D, 1>;
  using W = compute_t<T>;

 public:
  template <HasParameters M>
  explicit SGD(const M& net, SGDOptions options = {})
      : Base(net, options.learning_rate, {"momentum_buffer"}, options.momentum != 0), options_(options) {
    Base::require_settings("SGD", options.learning_rate, options.weight_decay);
    Base::require(options.momentum >= 0, "SGD", "the momentum is negative");
    Base::require(!options.nesterov || (options.momentum > 0 && options.dampening == 0), "SGD",
                  "nesterov needs a momentum, and no dampening");
  }

  using Base::step;
  /// Changes each parameter of the module that has a gradient, and its state. Throws `ShapeError` for another module
  /// than the optimiser was made for, `ValueError` when none of its parameters has a gradient, and `OutOfMemory`: then
  /// the parameters before the one that failed have made the step, and their number in `steps` says so.
  template <HasParametersOn<T, D> M>
  void step(M&& net, const Gradients& gradients) {
    const W rate = static_cast<W>(this->learning_rate);
    const W decay = static_cast<W>(options_.weight_decay);
    // `module` must not begin a line: nvcc warns that it might be the keyword.
    Base::update(
        net, gradients, [&](Tensor<T, D>& value, const Tensor<T, D>& gradient, std::size_t at, std::int64_t made) {
          if (options_.momentum == 0) {
            situ::internal::update_each(detail::SGDStep<W>{rate, decay}, std::tie(value), gradient);
            return;
          }
          const W share = static_cast<W>(made == 1 ? 1 : 1 - options_.dampening);
          situ::internal::update_each(
              detail::MomentumStep<W>{rate, decay, static_cast<W>(options_.momentum), share, options_.nesterov},
              std::tie(value, Base::state(0, at)), gradient);
        });
  }

  /// With its state on another device, for a module that goes there.
  template <Device To>
  [[nodiscard]] SGD<T, To> to(To = {}) const {
    return SGD<T, To>(*this);
  }

  [[nodiscard]] const SGDOptions& options() const noexcept { return options_; }

 private:
  template <FloatingElement U, Device E>
  friend class SGD;
  template <Device From>
  explicit SGD(const SGD<T, From>& other) : Base(other), options_(other.options_) {}

  SGDOptions options_;
};

template <HasParameters M>
explicit SGD(const M&, SGDOptions = {})
    -> SGD<typename detail::parameter_t<M>::value_type, typename detail::parameter_t<M>::device_type>;

}  // namespace situ::optim
