// SPDX-License-Identifier: Apache-2.0
// `nn::Sequential`: one layer after the other.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/variable.hpp>
#include <situ/core/error.hpp>
#include <situ/nn/activation.hpp>
#include <situ/nn/linear.hpp>
#include <situ/nn/module.hpp>

namespace situ::nn {

namespace detail {

/// The device that a module declares, void if none.
template <class M>
struct DeviceOf {
  using type = void;
};
template <class M>
  requires requires { typename M::device_type; }
struct DeviceOf<M> {
  using type = typename M::device_type;
};

/// That of the first of several modules that declares one.
template <class... M>
struct FirstDevice {
  using type = void;
};
template <class M, class... Rest>
struct FirstDevice<M, Rest...> {
  using type = std::conditional_t<std::is_void_v<typename DeviceOf<M>::type>, typename FirstDevice<Rest...>::type,
                                  typename DeviceOf<M>::type>;
};

/// Called on device `D` with an input of another one.
template <class D>
struct DeviceGuard {
  using device_type = D;
  on_device<D> operator()(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) const;
  on_device<D> operator()(this_network_is_on_one_device::fix_call_replicas) const;
};
template <>
struct DeviceGuard<void> {
  void operator()() const = delete;
};

template <class X, class D>
concept InputOn = TensorLike<X> && (std::is_void_v<D> || std::same_as<device_t<X>, D>);

/// The name of a class as a user writes it, "Linear" for `situ::nn::Linear<float, Cpu>`; "function" for a lambda.
template <class Type>
[[nodiscard]] std::string name_of() {
  std::string_view name = __PRETTY_FUNCTION__;  // "... [with Type = situ::nn::Linear<float, situ::Cpu>; ...]"
  if (name.find("lambda") != name.npos) return "function";
  name.remove_prefix(name.find("Type"));
  name = name.substr(0, name.find_first_of("<;]"));
  return std::string(name.substr(name.find_last_of("=: ") + 1));
}

template <class L>
inline constexpr bool is_linear = false;
template <class T, class D>
inline constexpr bool is_linear<Linear<T, D>> = true;

}  // namespace detail

/// `net[0]`: "layers are found by a template argument: fix: call layer<0>(net)", since each has a type of its own.
struct layers_are_found_by_a_template_argument {
  struct fix_call_layer {
    template <class Number>
    fix_call_layer(const Number&) = delete;
  };
};

/// Layers, each of which takes the result of the one before it: modules, or anything else that is called with a
/// variable and returns one. Their parameters are named by their number, `"0.weight"`, as in PyTorch, and so is the
/// layer in the message of an error that it throws: "layer 2 (Linear) of Sequential: linear: shape (2, 8) and a weight
/// of shape (1, 6) do not fit ...".
///
///     nn::Sequential net{nn::Linear(784, 256, generator), nn::ReLU(), nn::Linear(256, 10, generator)};
///     Variable scores = net(x);
///     auto there = net.to<Cuda<0>>();
///
/// Use braces: they construct the layers, and so draw from the generator, in order; with parentheses the order is the
/// compiler's choice.
template <class... Layers>
class Sequential : public Module<Sequential<Layers...>>,
                   public detail::DeviceGuard<typename detail::FirstDevice<Layers...>::type> {
  using Guard = detail::DeviceGuard<typename detail::FirstDevice<Layers...>::type>;
  using D = typename detail::FirstDevice<Layers...>::type;

 public:
  Sequential() = default;
  explicit Sequential(Layers... layers)
    requires(sizeof...(Layers) > 0)
      : layers_(std::move(layers)...) {}

  using Guard::operator();
  void operator[](layers_are_found_by_a_template_argument::fix_call_layer) const;
  template <detail::InputOn<D> X>
  [[nodiscard]] auto operator()(const X& x) {
    std::size_t at = 0;
    try {
      return after<0>(layers_, x, at);
    } catch (Error& error) {
      error.prefix(name_of_layer(at));
      throw;
    }
  }
  template <detail::InputOn<D> X>
  [[nodiscard]] auto operator()(const X& x) const {
    std::size_t at = 0;
    try {
      return after<0>(layers_, x, at);
    } catch (Error& error) {
      error.prefix(name_of_layer(at));
      throw;
    }
  }

  /// Layer number `At`; see also the function `layer<At>(net)`, which needs no `template` in templates.
  template <std::size_t At>
  [[nodiscard]] auto& layer() noexcept {
    return std::get<At>(layers_);
  }
  /// Layer number `At`.
  template <std::size_t At>
  [[nodiscard]] const auto& layer() const noexcept {
    return std::get<At>(layers_);
  }
  /// All layers, as a tuple.
  [[nodiscard]] std::tuple<Layers...>& layers() noexcept { return layers_; }
  [[nodiscard]] const std::tuple<Layers...>& layers() const noexcept { return layers_; }

 private:
  /// A product followed by a ReLU is one operation.
  template <std::size_t At, class Tuple>
  static constexpr bool is_fused = [] {
    if constexpr (At + 1 >= sizeof...(Layers)) return false;
    else
      return detail::is_linear<std::tuple_element_t<At, Tuple>> &&
             std::same_as<std::tuple_element_t<At + 1, Tuple>, ReLU>;
  }();

  /// `at` is the number of the layer being computed.
  template <std::size_t At, class Tuple, class X>
  [[nodiscard]] static auto after(Tuple& layers, const X& x, std::size_t& at) {
    if constexpr (At < sizeof...(Layers)) at = At;
    if constexpr (At == sizeof...(Layers)) {
      if constexpr (At == 0 || Recorded<X>) return autograd::as_variable(x);  // also for an expression
      else return x;
    } else if constexpr (is_fused<At, std::remove_const_t<Tuple>>) {
      return after<At + 2>(layers, std::get<At>(layers)(x, Activation::relu), at);
    } else {
      return after<At + 1>(layers, std::get<At>(layers)(x), at);
    }
  }

  [[nodiscard]] static std::string name_of_layer(std::size_t at) {
    const std::array<std::string, sizeof...(Layers) + 1> names{detail::name_of<Layers>()...};
    return "layer " + std::to_string(at) + " (" + names[at] + ") of Sequential: ";
  }

  std::tuple<Layers...> layers_;
};

template <class... Layers>
Sequential(Layers...) -> Sequential<Layers...>;

/// Layer number `At` of a sequence.
///
///     layer<0>(net).weight.value()
template <std::size_t At, class... Layers>
[[nodiscard]] auto& layer(Sequential<Layers...>& net) noexcept {
  return std::get<At>(net.layers());
}
template <std::size_t At, class... Layers>
[[nodiscard]] const auto& layer(const Sequential<Layers...>& net) noexcept {
  return std::get<At>(net.layers());
}
template <std::size_t At, class... Layers>
void layer(const Sequential<Layers...>&&) = delete;

}  // namespace situ::nn
