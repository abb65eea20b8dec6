// SPDX-License-Identifier: Apache-2.0
// The parameters that an optimizer changes: those of a module, a variable, or several of these, `std::tie(w, b)`.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/nn/module.hpp>
#include <situ/nn/parameters.hpp>

namespace situ::optim {

namespace detail {

template <class M>
using parameter_t = nn::parameter_t<M>;

template <class X>
inline constexpr bool is_tuple = false;
template <class... X>
inline constexpr bool is_tuple<std::tuple<X...>> = true;

/// Calls `f(name, parameter)` for all parameters, always in the same order.
template <class M, class F>
void walk_parameters(M& whole, F&& f) {
  if constexpr (is_tuple<std::remove_cv_t<M>>) {
    std::size_t number = 0;
    const auto visit = [&](auto& part) {
      const std::string prefix = std::to_string(number++);
      nn::for_each_parameter(part, [&](const std::string& name, auto& parameter) {
        f(name.empty() ? prefix : prefix + "." + name, parameter);
      });
    };
    std::apply([&visit](auto&... part) { (visit(part), ...); }, whole);
  } else {
    nn::for_each_parameter(whole, f);
  }
}

}  // namespace detail

/// Anything with parameters: a module, a `Variable`, a `std::tie` of these.
template <class M>
concept HasParameters = !std::is_void_v<detail::parameter_t<M>>;

/// One whose parameters have elements `T` and live on device `D`. (For a module that mixes them this checks only the
/// first; the others fail when they are reached.)
template <class M, class T, class D>
concept HasParametersOn = HasParameters<M> && std::same_as<detail::parameter_t<M>, Variable<T, D>>;

// Compile errors, as in device/diagnostics.hpp: the names are the message.

/// "the optimizer and the module live on different devices: fix: call .to on the optimizer".
template <class OptimizerDevice>
struct the_optimizer_and_the_module_live_on_different_devices {
  struct fix_call_dot_to_on_the_optimizer {
    template <HasParameters M, class ModuleDevice = typename detail::parameter_t<M>::device_type>
      requires(!std::same_as<OptimizerDevice, ModuleDevice>)
    fix_call_dot_to_on_the_optimizer(const M&) = delete;
  };
};
/// "the optimizer was made for other elements: fix: make one for this module". On one device.
template <class OptimizerElement, class Device>
struct the_optimizer_was_made_for_parameters_of {
  struct fix_make_one_for_this_module {
    template <HasParameters M, class ModuleElement = typename detail::parameter_t<M>::value_type>
      requires(!std::same_as<OptimizerElement, ModuleElement> &&
               std::same_as<Device, typename detail::parameter_t<M>::device_type>)
    fix_make_one_for_this_module(const M&) = delete;
  };
};
/// "these gradients are of spread parameters: fix: make the optimizer by spread_optimizer", or sharded_optimizer,
/// instead of one for the parameters of one device.
struct these_gradients_are_of_spread_parameters {
  struct fix_make_the_optimizer_by_spread_optimizer {
    template <class G>
      requires requires { typename G::of_spread_parameters; }
    fix_make_the_optimizer_by_spread_optimizer(const G&) = delete;
  };
  struct fix_call_clip_by_norm {
    template <class G>
      requires requires { typename G::of_spread_parameters; }
    fix_call_clip_by_norm(const G&) = delete;
  };
};

namespace detail {
template <class M>
concept SpreadOverDevices = requires { typename M::lists_parameter_parts; };
template <class M>
inline constexpr bool is_list_of_parameters = false;
template <class V>
inline constexpr bool is_list_of_parameters<std::vector<V*>> = true;
/// What an optimizer is not made of, but its guards are.
template <class M>
concept NoModule = SpreadOverDevices<M> || is_list_of_parameters<M>;
}  // namespace detail
/// `Adam(nn::parameters(net))`: "an optimizer takes the module: fix: write the module itself", `Adam(net)`.
struct an_optimizer_takes_the_module {
  struct fix_write_the_module_itself {
    template <class V>
    fix_write_the_module_itself(const std::vector<V*>&) = delete;
  };
};
/// `Adam(net, {.lr = 1e-3})`: "the option lr has another name: fix: write .learning_rate".
struct the_option_lr_has_another_name {
  struct fix_write_dot_learning_rate {};
};
namespace detail {
/// The first member has a value only from here, and the second none: so `{}` and `{0.1}` are not these options.
struct OptionsWithLr {
  struct Unnamed {
    constexpr explicit Unnamed(int) {}
  };
  struct Number {
    constexpr Number(double) {}
  };
  Unnamed unnamed = Unnamed(0);
  Number lr;
#if !defined(__CUDACC__)  // which takes {.weight_decay = 0.1} for these options too, though `lr` has no value
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
#endif
};
}  // namespace detail
/// `Adam(net)` of replicas: "parameters on several devices need another optimizer: fix: call spread_optimizer".
struct parameters_on_several_devices_need_another_optimizer {
  struct fix_call_spread_optimizer {
    template <detail::SpreadOverDevices M>
    fix_call_spread_optimizer(const M&) = delete;
  };
};
/// `Adam(net, 0.1)`: "the learning rate is an option: fix: write it in braces", `{.learning_rate = 0.1}`.
struct the_learning_rate_is_an_option {
  struct fix_write_it_in_braces_with_its_name {};
};

}  // namespace situ::optim
