// SPDX-License-Identifier: Apache-2.0
// The spread parameters in a module: spread variables among its members, and those of classes that list their own
// (`Replicas`).
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/node.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/nn/members.hpp>
#include <situ/parallel/parameter.hpp>
#include <situ/parallel/variable.hpp>

namespace situ {

namespace internal {

/// References to the parts of a spread parameter.
template <FloatingElement T, SpreadLayout Layout, class Mesh, Device... D>
struct ParameterParts {
  using value_type = T;
  using layout_type = Layout;
  using mesh_type = Mesh;

  const Mesh& mesh;
  Shape shape;
  std::tuple<Variable<T, D>&...> parts;

  /// The parameter that the parts belong to; null after an optimizer has changed each of them. Throws `ValueError` if
  /// they are parts of different ones.
  [[nodiscard]] const AnyJointParameter* whole() const {
    return std::apply([this](const auto&... part) { return parameter_of<Layout>(mesh, shape, part...); }, parts);
  }
  /// Whether the parts are those of one parameter of this type, in order.
  [[nodiscard]] bool joined() const {
    return std::apply(
        [this](const auto&... part) {
          const autograd::Node* const nodes[] = {part.node().get()...};
          const auto* const own = dynamic_cast<const JointParameter<T, Layout, Mesh>*>(joint_parameter(nodes[0]));
          return own != nullptr && own->mesh() == mesh && are_parts_in_order(*own, nodes);
        },
        parts);
  }
  void join() const {
    std::apply([this](auto&... part) { join_parameter<Layout>(mesh, shape, part...); }, parts);
  }
  [[nodiscard]] auto variable() const {
    return spread_variable_t<T, Layout, Mesh>(mesh, shape, std::tuple<Variable<T, D>...>(parts));
  }
};
template <SpreadLayout Layout, class Mesh, FloatingElement T, Device... D>
[[nodiscard]] ParameterParts<T, Layout, Mesh, D...> parameter_parts(const Mesh& mesh, const Shape& shape,
                                                                    Variable<T, D>&... parts) {
  return {mesh, shape, std::tie(parts...)};
}

/// A class that lists its spread parameters itself: `x.for_each_parameter_parts(name, f)`.
template <class X>
concept ListsParameterParts = requires { typename std::remove_cvref_t<X>::lists_parameter_parts; };

/// Calls `f(name, ParameterParts)` for each spread parameter in `x`, in the order in which members are listed. Also for
/// a const `x`, if `f` changes nothing.
template <class X, class F>
void walk_parameter_parts(const std::string& name, X& x, F& f) {
  using Plain = std::remove_const_t<X>;
  if constexpr (SpreadVariableType<X>) {
    if (!x.records() && x.size() == 0) return;  // the bias of a layer without one
    std::apply([&](auto&... part) { f(name, parameter_parts<layout_t<X>>(x.mesh(), x.shape(), part...)); },
               const_cast<Plain&>(x).own_parts());
  } else if constexpr (ListsParameterParts<X>) {
    const_cast<Plain&>(x).for_each_parameter_parts(name, f);
  } else if constexpr (nn::detail::is_optional<Plain>) {
    if (x) walk_parameter_parts(name, *x, f);
  } else {
    const auto child = [&](std::string_view number, auto& member) {
      walk_parameter_parts(nn::detail::name_of_child(name, number), member, f);
    };
    if constexpr (nn::detail::NamesMembers<X> || nn::detail::NumbersLayers<X>) {
      nn::detail::for_each_child(x, child);
    } else if constexpr (requires {
                           x[std::size_t{0}];
                           x.size();
                           typename Plain::value_type;
                         }) {
      if constexpr (std::is_class_v<typename Plain::value_type>) {
        for (std::size_t at = 0; at != x.size(); ++at) child(std::to_string(at), x[at]);
      }
    } else if constexpr (requires { std::tuple_size<Plain>::value; }) {
      std::size_t at = 0;
      std::apply([&](auto&... each) { (child(std::to_string(at++), each), ...); }, x);
    }
  }
}
template <class X, class F>
void for_each_parameter_parts(X& x, F&& f) {
  walk_parameter_parts(std::string(), x, f);
}

/// The type of the first spread parameter in an `X`, void if there is none.
template <class X>
struct FirstSpreadParameter {
  using type = void;
};
template <class... X>
struct FirstSpreadParameterOf {
  using type = void;
};
template <class X, class... Rest>
struct FirstSpreadParameterOf<X, Rest...> {
  using first = typename FirstSpreadParameter<std::remove_cvref_t<X>>::type;
  using type = typename std::conditional_t<std::is_void_v<first>, FirstSpreadParameterOf<Rest...>,
                                           std::type_identity<first>>::type;
};
template <class Members>
struct FirstSpreadParameterAmong;
template <class... M>
struct FirstSpreadParameterAmong<nn::MemberList<M...>> : FirstSpreadParameterOf<typename M::type...> {};

template <SpreadVariableType X>
struct FirstSpreadParameter<X> {
  using type = X;
};
template <ListsParameterParts X>
struct FirstSpreadParameter<X> {
  using type = typename X::lists_parameter_parts;
};
template <class... X>
struct FirstSpreadParameter<std::tuple<X...>> : FirstSpreadParameterOf<X...> {};
template <class X>
  requires(!SpreadVariableType<X> && !ListsParameterParts<X> && !nn::detail::NamesMembers<X> &&
           requires { typename X::value_type; })
struct FirstSpreadParameter<X> : FirstSpreadParameter<typename X::value_type> {};
template <class X>
  requires(nn::detail::NamesMembers<X> && !ListsParameterParts<X>)
struct FirstSpreadParameter<X> : FirstSpreadParameterAmong<decltype(X::members())> {};
template <class X>
  requires(nn::detail::NumbersLayers<X> && !nn::detail::NamesMembers<X> && !ListsParameterParts<X>)
struct FirstSpreadParameter<X> : FirstSpreadParameter<std::remove_cvref_t<decltype(std::declval<X&>().layers())>> {};

template <class M>
using spread_parameter_t = typename FirstSpreadParameter<std::remove_cvref_t<M>>::type;

}  // namespace internal

/// Anything with spread parameters: a `SpreadVariable`, a module with such members, `Replicas`, a `std::tie` of these.
template <class M>
concept HasSpreadParameters = !std::is_void_v<internal::spread_parameter_t<M>>;

/// Calls `f(name, parameter)` for each spread parameter of a module, in the order in which they are listed; `parameter`
/// is a `const SpreadVariable&`, to look up its gradient.
///
///     for_each_spread_parameter(net, [&](const std::string& name, const auto& w) { print(name, gradients[w].shape()); });
template <HasSpreadParameters M, class F>
void for_each_spread_parameter(const M& net, F&& f) {
  internal::for_each_parameter_parts(
      net, [&f](const std::string& name, const auto& parameter) { f(name, parameter.variable()); });
}

}  // namespace situ
