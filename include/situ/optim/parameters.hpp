// SPDX-License-Identifier: Apache-2.0
// The parameters that an optimiser changes: those of a module, a variable, or several of these, `std::tie(w, b)`.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/module.hpp>

namespace situ::optim {

namespace detail {

/// The type of the first parameter in an `X`, a `Variable`; void if there is none.
template <class X>
struct FirstParameter {
  using type = void;
};
template <class... X>
struct FirstParameterOf {
  using type = void;
};
template <class X, class... Rest>
struct FirstParameterOf<X, Rest...> {
  using first = typename FirstParameter<std::remove_cvref_t<X>>::type;
  using type = typename std::conditional_t<std::is_void_v<first>, FirstParameterOf<Rest...>, std::type_identity<first>>::type;
};

template <class T, class D>
struct FirstParameter<Variable<T, D>> {
  using type = Variable<T, D>;
};
template <class X>
struct FirstParameter<std::optional<X>> : FirstParameterOf<X> {};
template <class X, class A>
struct FirstParameter<std::vector<X, A>> : FirstParameterOf<X> {};
template <class X, std::size_t N>
struct FirstParameter<std::array<X, N>> : FirstParameterOf<X> {};
template <class... X>
struct FirstParameter<std::tuple<X...>> : FirstParameterOf<X...> {};

template <class Members>
struct FirstParameterAmong;
template <class... M>
struct FirstParameterAmong<std::tuple<M...>> : FirstParameterOf<typename M::type...> {};

template <class X>
  requires nn::detail::NamesMembers<X>
struct FirstParameter<X> : FirstParameterAmong<decltype(X::members())> {};
template <class X>
  requires(nn::detail::NumbersLayers<X> && !nn::detail::NamesMembers<X>)
struct FirstParameter<X> : FirstParameter<std::remove_cvref_t<decltype(std::declval<X&>().layers())>> {};

template <class M>
using parameter_t = typename FirstParameter<std::remove_cvref_t<M>>::type;

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
