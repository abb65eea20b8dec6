// SPDX-License-Identifier: Apache-2.0
// `nn::Sequential`: one layer after the other.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/variable.hpp>
#include <situ/nn/activation.hpp>
#include <situ/nn/linear.hpp>
#include <situ/nn/module.hpp>

namespace situ::nn {

namespace detail {

/// The device that a module says it is on, void if it says none.
template <class M>
struct DeviceOf {
  using type = void;
};
template <class M>
  requires requires { typename M::device_type; }
struct DeviceOf<M> {
  using type = typename M::device_type;
};

/// That of the first of several modules which says one.
template <class... M>
struct FirstDevice {
  using type = void;
};
template <class M, class... Rest>
struct FirstDevice<M, Rest...> {
  using type = std::conditional_t<std::is_void_v<typename DeviceOf<M>::type>, typename FirstDevice<Rest...>::type,
                                  typename DeviceOf<M>::type>;
};

/// What a sequence on device `D` answers to an input of another one.
template <class D>
struct DeviceGuard {
  using device_type = D;
  on_device<D> operator()(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) const;
};
template <>
struct DeviceGuard<void> {
  void operator()() const = delete;
};

template <class X, class D>
concept InputOn = TensorLike<X> && (std::is_void_v<D> || std::same_as<device_t<X>, D>);

template <class L>
inline constexpr bool is_linear = false;
template <class T, class D>
inline constexpr bool is_linear<Linear<T, D>> = true;

}  // namespace detail

/// Layers, each of which takes what the one before it gives: modules, or anything else that is called with a variable and
/// gives one. Their parameters are named by their number, `"0.weight"`, as in PyTorch.
///
///     nn::Sequential net{nn::Linear(784, 256, generator), nn::ReLU(), nn::Linear(256, 10, generator)};
///     Variable scores = net(x);
///     auto there = net.to<Cuda<0>>();
///
/// Write braces: they construct the layers in order, parentheses in the order that the compiler likes, and so would the
/// layers draw from the generator.
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
  template <detail::InputOn<D> X>
  [[nodiscard]] auto operator()(const X& x) {
    return after<0>(layers_, x);
  }
  template <detail::InputOn<D> X>
  [[nodiscard]] auto operator()(const X& x) const {
    return after<0>(layers_, x);
  }

  /// Layer number `At`.
  template <std::size_t At>
  [[nodiscard]] auto& layer() noexcept {
    return std::get<At>(layers_);
  }
  template <std::size_t At>
  [[nodiscard]] const auto& layer() const noexcept {
    return std::get<At>(layers_);
  }
  /// All layers, as a tuple.
  [[nodiscard]] std::tuple<Layers...>& layers() noexcept { return layers_; }
  [[nodiscard]] const std::tuple<Layers...>& layers() const noexcept { return layers_; }

 private:
  /// A product and a ReLU behind it are one operation.
  template <std::size_t At, class Tuple>
  static constexpr bool is_fused = [] {
    if constexpr (At + 1 >= sizeof...(Layers))
      return false;
    else
      return detail::is_linear<std::tuple_element_t<At, Tuple>> &&
             std::same_as<std::tuple_element_t<At + 1, Tuple>, ReLU>;
  }();

  template <std::size_t At, class Tuple, class X>
  [[nodiscard]] static auto after(Tuple& layers, const X& x) {
    using Plain = std::remove_const_t<Tuple>;
    if constexpr (At == sizeof...(Layers))
      return autograd::as_variable(x);
    else if constexpr (is_fused<At, Plain>)
      return after<At + 2>(layers, std::get<At>(layers)(x, Activation::relu));
    else if constexpr (At + 1 == sizeof...(Layers))
      return std::get<At>(layers)(x);
    else
      return after<At + 1>(layers, std::get<At>(layers)(x));
  }

  std::tuple<Layers...> layers_;
};

template <class... Layers>
Sequential(Layers...) -> Sequential<Layers...>;

}  // namespace situ::nn
