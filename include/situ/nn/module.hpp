// SPDX-License-Identifier: Apache-2.0
// Modules: parameters and buffers listed by name, training and evaluation, moving to another device.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/variable.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/movement.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/nn/left_behind.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/rebind.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::nn {

/// Calls `f(name, variable)` for each parameter of a module and the modules in it, in the order in which they are
/// listed. `name` is a `std::string` as in PyTorch: `"weight"`, `"0.weight"`, `"encoder.conv1.bias"`. Skips a parameter
/// that is absent (the bias of a layer without one).
///
///     nn::for_each_parameter(net, [&](const std::string& name, auto& parameter) {
///       parameter.update([&](auto& value) { value -= 0.1f * gradients[parameter]; });
///     });
template <class M, class F>
void for_each_parameter(M& module, F&& f) {
  const auto only_variables = [&f](const std::string& name, auto& entry) {
    if constexpr (VariableType<decltype(entry)>) f(name, entry);
  };
  detail::walk_entries(std::string(), module, only_variables);
}

/// Calls `f(name, entry)` for each parameter (`Variable<T, D>&`) and buffer (`Tensor<U, D>&`), in the order in which
/// they are listed: everything that a checkpoint stores.
template <class M, class F>
void for_each_entry(M& module, F&& f) {
  detail::walk_entries(std::string(), module, f);
}

/// Calls `f(name, module)` for the module itself, named `""`, and all modules in it, the outer before the inner. To
/// change the layers of one kind, test for the type:
///
///     nn::for_each_module(net, [](const std::string&, auto& layer) {
///       if constexpr (requires { layer.momentum; }) layer.momentum = 0.01;
///     });
template <class M, class F>
void for_each_module(M& module, F&& f) {
  detail::walk_modules(std::string(), module, f);
}

/// The total number of elements of all parameters.
template <class M>
[[nodiscard]] std::int64_t parameter_count(const M& module) {
  std::int64_t count = 0;
  for_each_parameter(module, [&](const std::string&, const auto& parameter) { count += parameter.size(); });
  return count;
}

/// Sets the mode of `BatchNorm`, `Dropout` and each module that has a data member `training`: training or evaluation.
template <class M>
void train(M& module, bool on = true) {
  for_each_module(module, [on](const std::string&, auto& each) {
    if constexpr (requires {
                    { each.training } -> std::same_as<bool&>;
                  })
      each.training = on;
  });
}

namespace detail {

template <class To, class X, class Change>
[[nodiscard]] rebind_t<X, To> changed(const X& x, const Change& change);

/// A module `R` with the changed members of another.
template <class To, class R, class X, class Change, std::size_t... At, class... Named>
[[nodiscard]] R of_changed_members(const X& x, const Change& change,
                                   const situ::internal::PackBase<std::index_sequence<At...>, Named...>& members) {
  if constexpr (!std::is_aggregate_v<R>) {
    static_assert(std::default_initializable<R>,
                  "a module with constructors needs one without arguments as well, so that it can be made on another "
                  "device and filled; or let it be an aggregate");
    R result;
    ((result.*(get<At>(R::members()).pointer) = changed<To>(x.*(get<At>(members).pointer), change)), ...);
    return result;
  } else if constexpr (std::derived_from<R, Module<R>>) {
    return R{{}, changed<To>(x.*(get<At>(members).pointer), change)...};
  } else {
    return R{changed<To>(x.*(get<At>(members).pointer), change)...};
  }
}

/// A module, variable, tensor or setting with each entry replaced by `change(entry)`; of type `Rebind<X, To>`.
template <class To, class X, class Change>
[[nodiscard]] rebind_t<X, To> changed(const X& x, const Change& change) {
  using R = rebind_t<X, To>;
  if constexpr (VariableType<X> || TensorType<X>) {
    return change(x);
  } else if constexpr (is_optional<X>) {
    return x ? R(changed<To>(*x, change)) : R();
  } else if constexpr (NamesMembers<X>) {
    static_assert(check_members<X>());
    return of_changed_members<To, R>(x, change, X::members());
  } else if constexpr (NumbersLayers<const X>) {
    return std::apply([&](const auto&... layer) { return R{changed<To>(layer, change)...}; }, x.layers());
  } else if constexpr (!holds_entries<X>) {
    static_assert(std::same_as<R, X>);
    return x;
  } else if constexpr (requires { std::tuple_size<X>::value; }) {
    return std::apply([&](const auto&... each) { return R{changed<To>(each, change)...}; }, x);
  } else {
    R result;
    result.reserve(x.size());
    for (const auto& each : x) result.push_back(changed<To>(each, change));
    return result;
  }
}

/// A parameter or buffer on another device.
template <Device To>
struct MovedTo {
  template <class T, class D>
  [[nodiscard]] Variable<T, To> operator()(const Variable<T, D>& parameter) const {
    if constexpr (std::same_as<To, D>) return parameter;
    else if (parameter.records()) return Variable<T, To>(parameter.value().template to<To>());
    else return situ::constant(parameter.value().template to<To>());
  }
  template <class T, class D>
  [[nodiscard]] Tensor<T, To> operator()(const Tensor<T, D>& buffer) const {
    return buffer.template to<To>();
  }
};

struct Frozen {
  template <class T, class D>
  [[nodiscard]] Variable<T, D> operator()(const Variable<T, D>& parameter) const {
    return situ::constant(parameter);
  }
  template <class T, class D>
  [[nodiscard]] const Tensor<T, D>& operator()(const Tensor<T, D>& buffer) const {
    return buffer;
  }
};

}  // namespace detail

/// The module on device `To`, whose type has `To` in place of its device: `Linear<float, Cuda<0>>` from
/// `Linear<float, Cpu>`. Its parameters are new ones. On its own device it is a copy, which shares them.
///
///     auto there = nn::to<Cuda<0>>(net);       // or nn::to(net, gpu<0>), or net.to<Cuda<0>>()
template <Device To, class M>
  requires detail::follows<M, To>
[[nodiscard]] rebind_t<M, To> to(const M& module, To = {}) {
  return detail::changed<To>(module, detail::MovedTo<To>{});
}
/// A device known only at run time: does not compile; the error names `with_device`.
template <class M>
M to(const M&, the_device_is_known_at_run_time_only::fix_call_with_device);
/// A module whose type does not name its device: does not compile; the error says how to write it.
template <Device To, class M, class Fix = detail::device_fix<M, To>>
  requires(!detail::follows<M, To>)
M to(const M&, To = {}) = delete;

/// A copy of the module whose parameters are constants: its calls record nothing, for use after training.
///
///     const auto fixed = constant(net);
///     Tensor scores = fixed(x).value();
template <class M>
  requires detail::NamesMembers<M> || detail::NumbersLayers<M>
[[nodiscard]] M constant(const M& module) {
  return detail::changed<void>(module, detail::Frozen{});
}

/// The base of modules, with the functions of this header as members. It is empty, and a module without it can be
/// passed to the functions just as well.
template <class Derived>
struct Module {
  /// See `nn::to`.
  template <Device To>
    requires detail::follows<Derived, To>
  [[nodiscard]] auto to(To = {}, CallSite site = CallSite::here()) const {
    const internal::movement::WholeCall whole("to", site);
    return nn::to<To>(static_cast<const Derived&>(*this));
  }
  Derived to(the_device_is_known_at_run_time_only::fix_call_with_device) const;
  template <Device To, class Fix = detail::device_fix<Derived, To>>
    requires(!detail::follows<Derived, To>)
  Derived to(To = {}) const = delete;

  /// The device of its parameters, as a value: `net.device() == gpu<0>`. For a module on several it is that of the
  /// first.
  template <class M = Derived>  // clang 14 would look at the constraint of a function before `Derived` is complete
    requires(!std::is_void_v<parameter_t<M>>)
  [[nodiscard]] static constexpr auto device() noexcept {
    return typename parameter_t<M>::device_type{};
  }

  /// Training mode, the default: `BatchNorm` uses the statistics of the batch, and `Dropout` drops.
  Derived& train(bool on = true) {
    nn::train(static_cast<Derived&>(*this), on);
    return static_cast<Derived&>(*this);
  }
  /// Evaluation mode: `BatchNorm` uses the running statistics, and `Dropout` does nothing. Parameters still record
  /// gradients; those of `constant(net)` do not.
  Derived& eval() { return train(false); }

  /// See `nn::parameter_count`.
  [[nodiscard]] std::int64_t parameter_count() const { return nn::parameter_count(static_cast<const Derived&>(*this)); }
};

namespace detail {

/// The input of a module with elements `T` on device `D`.
template <class X, class T, class D>
concept InputOf = TensorLike<X> && std::same_as<value_type_t<X>, T> && std::same_as<device_t<X>, D>;

/// Called with an input of another device or element type than that of the module: does not compile; the error names
/// both and the fix.
template <class T, class D>
struct InputGuards {
  Variable<T, D> operator()(typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>) const;
  Variable<T, D> operator()(typename element_types_differ<T, D>::template fix_call_cast<T>) const;
  Variable<T, D> operator()(this_network_is_on_one_device::fix_call_replicas) const;
};

}  // namespace detail

}  // namespace situ::nn
