// SPDX-License-Identifier: Apache-2.0
// The parameters that an optimiser changes: those of a module, a variable, or several of these, `std::tie(w, b)`.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

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

/// `f(name, parameter)` for all parameters, in the same order always.
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

/// What has parameters: a module, a `Variable`, a `std::tie` of such.
template <class M>
concept HasParameters = !std::is_void_v<detail::parameter_t<M>>;

}  // namespace situ::optim
