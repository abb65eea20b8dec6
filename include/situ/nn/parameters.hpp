// SPDX-License-Identifier: Apache-2.0
// The parameters of a module as a list, where all of them have one type.
#pragma once

#include <array>
#include <concepts>
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

namespace situ::nn {

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
  using type =
      typename std::conditional_t<std::is_void_v<first>, FirstParameterOf<Rest...>, std::type_identity<first>>::type;
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
  requires NamesMembers<X>
struct FirstParameter<X> : FirstParameterAmong<decltype(X::members())> {};
template <class X>
  requires(NumbersLayers<X> && !NamesMembers<X>)
struct FirstParameter<X> : FirstParameter<std::remove_cvref_t<decltype(std::declval<X&>().layers())>> {};

}  // namespace detail

/// The type of the parameters of a module (or several, a tuple), `Variable<float, Cuda<0>>`; void if it can have none.
template <class M>
using parameter_t = typename detail::FirstParameter<std::remove_cvref_t<M>>::type;

/// Pointers to the parameters of a module, in the order of `for_each_parameter`, whose parameters must have one type. They
/// point into the module: to use them is to use it.
///
///     for (auto* parameter : nn::parameters(net)) {
///       parameter->update([&](auto& value) { value -= 0.1f * gradients[*parameter]; });
///     }
template <class M>
  requires(!std::is_void_v<parameter_t<M>>)
[[nodiscard]] auto parameters(M& module) {
  using Parameter = std::conditional_t<std::is_const_v<M>, const parameter_t<M>, parameter_t<M>>;
  std::vector<Parameter*> list;
  for_each_parameter(module, [&list](const std::string&, auto& parameter) {
    static_assert(std::same_as<std::remove_cvref_t<decltype(parameter)>, parameter_t<M>>,
                  "the parameters of this module have several types: use for_each_parameter");
    list.push_back(&parameter);
  });
  return list;
}

}  // namespace situ::nn
