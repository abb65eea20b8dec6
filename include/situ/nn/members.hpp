// SPDX-License-Identifier: Apache-2.0
// The members of a module, named once, and a traversal of the variables and tensors in them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/core/pack.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::nn {

/// A data member and its name in checkpoints.
template <class Owner, class M>
struct Member {
  using owner = Owner;
  using type = M;
  using pointer_type = M Owner::*;  // named, since nvcc adds parentheses that g++ warns about
  const char* name;
  pointer_type pointer;
};

/// The result of `members`.
template <class... M>
struct MemberList : internal::Pack<M...> {};

namespace detail {

template <class... Argument, std::size_t... At>
[[nodiscard]] constexpr auto member_list(const internal::Pack<Argument...>& arguments, std::index_sequence<At...>) {
  const auto member = []<class Owner, class M>(const char* name, M Owner::*pointer) {
    return Member<Owner, M>{name, pointer};
  };
  return MemberList<decltype(member(get<2 * At>(arguments), get<2 * At + 1>(arguments)))...>{
      {{{member(get<2 * At>(arguments), get<2 * At + 1>(arguments))}...}}};
}

}  // namespace detail

/// All data members of a module, in the order of their declaration: modules, variables (parameters), tensors (buffers),
/// and settings such as a number, which are copied with the module. A module lists them in a static member function;
/// `to`, `for_each_parameter`, `train`, `save` and `load` need nothing else. (A module that is an aggregate has no base
/// but `nn::Module`.)
///
///     template <Device D>
///     struct Perceptron : nn::Module<Perceptron<D>> {
///       nn::Linear<float, D> hidden{784, 256}, out{256, 10};
///       static constexpr auto members() {
///         return nn::members("hidden", &Perceptron::hidden, "out", &Perceptron::out);
///       }
///       template <class X>
///       Variable<float, D> operator()(const X& x) { return out(relu(hidden(x))); }
///     };
[[nodiscard]] constexpr MemberList<> members() { return {}; }
template <class Owner, class M, class... Rest>
[[nodiscard]] constexpr auto members(const char* name, M Owner::*pointer, Rest... rest) {
  return detail::member_list(internal::make_pack(name, pointer, rest...),
                             std::make_index_sequence<1 + sizeof...(Rest) / 2>{});
}

template <class Derived>
struct Module;

namespace detail {

template <class M>
concept NamesMembers = requires { std::remove_cvref_t<M>::members(); };

/// A module that numbers its layers: `layers()` is a tuple.
template <class M>
concept NumbersLayers = requires(M& module) { module.layers(); };

/// A class that lists its variables and tensors itself, by `x.for_each_entry(f)`, because their names are known only at
/// run time: the state of an optimizer.
template <class X>
concept ListsEntries = requires { typename std::remove_cvref_t<X>::lists_entries; };

template <class X>
inline constexpr bool is_optional = false;
template <class X>
inline constexpr bool is_optional<std::optional<X>> = true;

/// Whether an `X` may contain variables or tensors.
template <class X>
inline constexpr bool holds_entries =
    VariableType<X> || TensorType<X> || NamesMembers<X> || NumbersLayers<X> || ListsEntries<X>;
template <class X>
inline constexpr bool holds_entries<std::optional<X>> = holds_entries<X>;
template <class X, class A>
inline constexpr bool holds_entries<std::vector<X, A>> = holds_entries<X>;
template <class X, std::size_t Size>
inline constexpr bool holds_entries<std::array<X, Size>> = holds_entries<X>;

/// A parameter that a module lacks, such as the bias of a layer without one: empty, like `Variable()`.
template <VariableType V>
[[nodiscard]] bool is_absent(const V& variable) noexcept {
  return !variable.records() && variable.size() == 0;
}

/// Converts to anything.
struct Anything {
  template <class T>
  operator T() const;
};

template <class M, class... Members>
[[nodiscard]] consteval bool are_aggregate_members(std::type_identity<MemberList<Members...>>, bool and_one_more) {
  using A = Anything;
  if constexpr (std::derived_from<M, Module<M>>) {
    return and_one_more ? requires { M{{}, std::declval<typename Members::type>()..., A{}}; }
                        : requires { M{{}, std::declval<typename Members::type>()...}; };
  } else {
    return and_one_more ? requires { M{std::declval<typename Members::type>()..., A{}}; }
                        : requires { M{std::declval<typename Members::type>()...}; };
  }
}

/// The size of a class with these data members.
template <class... Members>
[[nodiscard]] consteval std::size_t size_with(std::type_identity<MemberList<Members...>>) {
  std::size_t size = 0, most = 1;
  const auto add = [&](std::size_t member, std::size_t alignment) {
    size = (size + alignment - 1) / alignment * alignment + member;
    most = alignment > most ? alignment : most;
  };
  (add(sizeof(typename Members::type), alignof(typename Members::type)), ...);
  return (size + most - 1) / most * most;
}

/// A member that is not listed would silently be lost when the module is moved or saved. In an aggregate all members
/// can be counted; in a class with constructors the size reveals it, unless the member fits into padding.
template <class M>
consteval bool check_members() {
  using List = std::type_identity<decltype(M::members())>;
  if constexpr (std::is_aggregate_v<M>) {
    static_assert(are_aggregate_members<M>(List{}, false),
                  "members() must name the data members of the module in the order of their declaration");
    static_assert(!are_aggregate_members<M>(List{}, true), "members() must name all data members of the module");
  } else if constexpr (!std::is_polymorphic_v<M>) {
    static_assert(sizeof(M) <= size_with(List{}),
                  "members() must name all data members of the module, in the order of their declaration");
  }
  return true;
}

template <std::size_t... At, class... Named, class M, class F>
void for_each_member(const situ::internal::PackBase<std::index_sequence<At...>, Named...>& members, M& module, F& f) {
  (f(std::string_view(get<At>(members).name), module.*(get<At>(members).pointer)), ...);
}

/// Calls `f(name, child)` for each member, layer or element of a module, in order.
template <class M, class F>
void for_each_child(M& module, F&& f) {
  using Plain = std::remove_const_t<M>;
  if constexpr (NamesMembers<M>) {
    static_assert(check_members<Plain>());
    for_each_member(Plain::members(), module, f);
  } else if constexpr (NumbersLayers<M>) {
    std::size_t at = 0;
    std::apply([&](auto&... layer) { (f(std::to_string(at++), layer), ...); }, module.layers());
  } else if constexpr (holds_entries<Plain>) {
    for (std::size_t at = 0; at != module.size(); ++at) f(std::to_string(at), module[at]);
  }
}

[[nodiscard, gnu::noinline]] inline std::string name_of_child(const std::string& parent, std::string_view child) {
  std::string name = parent;
  if (!name.empty()) name += '.';
  return name += child;
}

/// Calls `f(name, entry)` for each variable and tensor in `x`, in order.
template <class X, class F>
void walk_entries(const std::string& name, X& x, F& f) {
  using Plain = std::remove_const_t<X>;
  if constexpr (VariableType<X>) {
    if (!is_absent(x)) f(name, x);
  } else if constexpr (TensorType<X>) {
    f(name, x);
  } else if constexpr (is_optional<Plain>) {
    if (x) walk_entries(name, *x, f);
  } else if constexpr (ListsEntries<X>) {
    x.for_each_entry([&](const std::string& child, auto& entry) { f(name_of_child(name, child), entry); });
  } else if constexpr (holds_entries<Plain>) {
    for_each_child(x,
                   [&](std::string_view child, auto& member) { walk_entries(name_of_child(name, child), member, f); });
  }
}

/// Calls `f(name, module)` for `x` and all modules in it, a module before those in it.
template <class X, class F>
void walk_modules(const std::string& name, X& x, F& f) {
  using Plain = std::remove_const_t<X>;
  if constexpr (is_optional<Plain>) {
    if (x) walk_modules(name, *x, f);
  } else if constexpr (holds_entries<Plain> && !VariableType<X> && !TensorType<X> && !ListsEntries<X>) {
    if constexpr (NamesMembers<X> || NumbersLayers<X>) f(name, x);
    for_each_child(x,
                   [&](std::string_view child, auto& member) { walk_modules(name_of_child(name, child), member, f); });
  }
}

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
template <class X, std::size_t Size>
struct FirstParameter<std::array<X, Size>> : FirstParameterOf<X> {};
template <class... X>
struct FirstParameter<std::tuple<X...>> : FirstParameterOf<X...> {};

template <class Members>
struct FirstParameterAmong;
template <class... M>
struct FirstParameterAmong<MemberList<M...>> : FirstParameterOf<typename M::type...> {};

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

}  // namespace situ::nn
