// SPDX-License-Identifier: Apache-2.0
// `SpreadVariable<T, Layout, Where...>`: a spread value that remembers how it was computed.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/replicas.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/ops/random.hpp>
#include <situ/parallel/diagnostics.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/parameter.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

template <FloatingElement T, class Layout, class... Where>
class SpreadVariable;

namespace internal {

template <class T, class Layout, class Mesh, class Devices = typename Mesh::devices>
struct VariableParts;
template <class T, class Layout, class Mesh, class... D>
struct VariableParts<T, Layout, Mesh, std::tuple<D...>> {
  using type = SpreadParts<T, Layout, Mesh, Variable<T, D>...>;
};

/// The class that records operations on a `Spread`.
template <class S>
struct RecordingOf;
template <class T, class Layout, class... Where>
struct RecordingOf<Spread<T, Layout, Where...>> {
  using type = SpreadVariable<T, Layout, Where...>;
};
template <class T, class Layout, class Mesh>
using spread_variable_t = typename RecordingOf<typename Mesh::template spread<T, Layout>>::type;

template <class Layout, class Mesh, class T, class... D>
struct SpreadOf<Layout, Mesh, Variable<T, D>...> {
  using type = spread_variable_t<T, Layout, Mesh>;
};

inline void require_part_shape(const Shape& changed, const Shape& before, std::size_t number) {
  if (changed == before) return;
  throw ShapeError("update: part " + std::to_string(number) + " had shape " + before.to_string() + ", and has " +
                   changed.to_string() + " now; a spread value keeps its shape: make another, SpreadVariable(spread)");
}

/// A function that is called for one replica after the other, each time as if it were the first; see
/// `SpreadVariable::update`. (Classes: nvcc does not accept lambdas in a pack expansion, and gives those that hold
/// users' functions another linkage.)
template <class F, bool Copied = std::copy_constructible<F>>
class ForEachReplica {
 public:
  explicit ForEachReplica(F& function) : function_(function), before_(function) {}
  template <class Value>
  void operator()(Value& value) {
    draws_.again();
    if (std::exchange(first_, false)) return static_cast<void>(function_(value));
    F again = before_;
    again(value);
  }

 private:
  F& function_;
  const F before_;
  SameDraws draws_;
  bool first_ = true;
};
template <class F>
class ForEachReplica<F, false> {
 public:
  explicit ForEachReplica(F& function) : function_(function) {}
  template <class Value>
  void operator()(Value& value) {
    static_assert(std::invocable<const F&, Value&>,
                  "update of a Replicated value calls the function for each replica: fix: make it one that can be "
                  "copied, or called where it is const, so that it does the same to all");
    draws_.again();
    function_(value);
  }

 private:
  const F& function_;
  SameDraws draws_;
};

}  // namespace internal

/// A spread value whose parts are variables: operations on it return spread variables (or expressions that become
/// such), by the same layout rules as on a `Spread`, and `backward(loss)` returns the gradients of its parameters,
/// spread according to the layout. Made from a `Spread` it is a parameter.
///
///     SpreadVariable w(replicate(weights, gpu<0>, gpu<1>));      // a parameter
///     SpreadVariable loss = mean(square(matmul(x, w) - y));      // x and y are Spread<float, Sharded<0>, ...>
///     auto gradients = all_reduce(backward(loss));
///     Spread g = gradients[w];                                   // Spread<float, Replicated, Cuda<0>, Cuda<1>>
template <FloatingElement T, class Layout, class... Where>
class SpreadVariable : public internal::VariableParts<T, Layout, internal::mesh_t<Where...>>::type {
  using Mesh = internal::mesh_t<Where...>;
  using Base = typename internal::VariableParts<T, Layout, Mesh>::type;
  using Values = Spread<T, Layout, Where...>;

 public:
  using parts_type = typename Base::parts_type;
  static const internal::item_fix_t<Layout, Mesh> item;  // does not compile: `gather` or `all_reduce` is missing

  /// Empty constants.
  SpreadVariable() = default;

  /// A parameter with this value.
  explicit SpreadVariable(const Values& value)
    requires(!internal::is_partial<Layout>)
      : SpreadVariable(value.mesh(), value.shape(), of_values(value.parts())) {
    std::apply([&](auto&... part) { internal::join_parameter<Layout>(this->mesh(), this->shape(), part...); },
               this->own_parts());
  }
  /// A pending sum is not a parameter: its terms have no meaning of their own.
  template <class Fix = a_partial_sum_is_not_a_parameter::fix_call_all_reduce>
    requires(internal::is_partial<Layout>)
  explicit SpreadVariable(const Values&) = delete;

  /// Evaluates an expression of spread variables, each part in one pass on its device, and records it.
  template <class... Part>
    requires(sizeof...(Part) == Mesh::local && (Recorded<Part> && ...) &&
             std::same_as<typename internal::LazySpread<Layout, Mesh, Part...>::value_type, T>)
  SpreadVariable(const internal::LazySpread<Layout, Mesh, Part...>& lazy)
      : Base(lazy.mesh(), lazy.shape(),
             std::apply([](const Part&... part) { return parts_type{autograd::recorded(part)...}; }, lazy.parts())) {}

  /// For the library: parts with matching shapes.
  SpreadVariable(Mesh mesh, const Shape& shape, parts_type parts) : Base(std::move(mesh), shape, std::move(parts)) {}

  /// The value, which records nothing.
  [[nodiscard]] Values value() const { return Values(this->mesh(), this->shape(), autograd::values_of(this->parts())); }

  /// Whether gradients are recorded.
  [[nodiscard]] bool records() const noexcept {
    return std::apply([](const auto&... part) { return (part.records() || ...); }, this->parts());
  }

  /// Changes the parts of a parameter, by `change(part)` for each part's tensor; see `Variable::update`. This becomes
  /// another parameter. If `change` throws for one of several parts, all are unchanged; otherwise the parts must keep
  /// their shapes (`ShapeError`).
  ///
  /// A `Replicated` value changes the same way on every replica: each is changed by a copy of `change` as it was before
  /// the first call (a function that cannot be copied is called as const), and random numbers drawn without a generator
  /// are the same for all. Objects that it refers to, such as a `Generator` of the caller, have changed by the second
  /// call: pass them by value. A checked build compares the replicas, and throws `ValueError` if they differ.
  template <class F>
  void update(F&& change) {
    if constexpr (Mesh::local == 1) {  // in place
      auto& part = std::get<0>(this->own_parts());
      const Shape before = part.shape();
      part.update(change);
      internal::require_part_shape(part.shape(), before, 0);
      internal::join_parameter<Layout>(this->mesh(), this->shape(), part);
    } else {
      parts_type parts = this->parts();  // handles: nothing changes in place until all succeed
      const auto change_all = [&parts](auto& function) {
        std::apply([&function](auto&... part) { (part.update(function), ...); }, parts);
      };
      if constexpr (std::same_as<Layout, Replicated>) {
        internal::ForEachReplica<std::remove_reference_t<F>> function(change);
        change_all(function);
      } else {
        change_all(change);
      }
      std::size_t number = 0;
      autograd::for_each_part<Mesh::local>([&](auto at) {
        internal::require_part_shape(std::get<at>(parts).shape(), std::get<at>(this->parts()).shape(), number++);
      });
      if constexpr (std::same_as<Layout, Replicated>) {
        internal::check_replicas(this->mesh(), autograd::values_of(parts), "update");
      }
      std::apply([&](auto&... part) { internal::join_parameter<Layout>(this->mesh(), this->shape(), part...); }, parts);
      this->own_parts() = std::move(parts);
    }
  }

  /// For the library: the parts, which may be replaced by others of the same shapes.
  using Base::own_parts;

 private:
  [[nodiscard]] static parts_type of_values(const typename Mesh::template tensors<T>& values) {
    return std::apply([]<class... D>(const Tensor<T, D>&... value) { return parts_type{Variable<T, D>(value)...}; },
                      values);
  }
};

template <FloatingElement T, class Layout, class... Where>
SpreadVariable(const Spread<T, Layout, Where...>&) -> SpreadVariable<T, Layout, Where...>;
template <class Layout, Device... D, class... Part>
SpreadVariable(const internal::LazySpread<Layout, internal::DeviceMesh<D...>, Part...>&)
    -> SpreadVariable<typename internal::LazySpread<Layout, internal::DeviceMesh<D...>, Part...>::value_type, Layout,
                      D...>;
template <class Layout, class Mesh, class Part>
  requires Mesh::of_ranks
SpreadVariable(const internal::LazySpread<Layout, Mesh, Part>&)
    -> SpreadVariable<typename internal::LazySpread<Layout, Mesh, Part>::value_type, Layout, typename Mesh::where>;
namespace internal {
template <class X>
inline constexpr bool is_spread_variable = false;
template <class T, class Layout, class... Where>
inline constexpr bool is_spread_variable<SpreadVariable<T, Layout, Where...>> = true;
template <class X>
inline constexpr bool holds_recorded_parts = false;
template <class... Part>
inline constexpr bool holds_recorded_parts<std::tuple<Part...>> = (Recorded<Part> && ...);
}  // namespace internal

/// A `SpreadVariable` itself.
template <class X>
concept SpreadVariableType = internal::is_spread_variable<std::remove_cvref_t<X>>;

/// A `SpreadVariable`, or an expression that depends on one.
template <class X>
concept RecordedSpread = SpreadLike<X> && internal::holds_recorded_parts<typename std::remove_cvref_t<X>::parts_type>;

namespace internal {

template <std::size_t At, class F, class... X>
[[nodiscard]] auto apply_to_numbered_part(F& f, std::size_t number, const X&... x) {
  return f(number, part_of<At>(x)...);
}
template <class Layout, class F, std::size_t... At, class First, class... Rest>
[[nodiscard]] auto map_all_numbered_parts_at(std::index_sequence<At...>, const Shape& shape, F& f, const First& first,
                                             const Rest&... rest) {
  const std::size_t begin = first.mesh().first();
  using Parts = std::tuple<decltype(apply_to_numbered_part<At>(f, begin, first, rest...))...>;
  return make_spread<Layout>(common_mesh(first, rest...), shape,
                             Parts{apply_to_numbered_part<At>(f, begin + At, first, rest...)...});
}
/// `map_numbered_parts` of several operands.
template <class Layout, class F, class First, class... Rest>
[[nodiscard]] auto map_all_numbered_parts(const Shape& shape, F&& f, const First& first, const Rest&... rest) {
  return map_all_numbered_parts_at<Layout>(std::make_index_sequence<spread_mesh_t<First>::local>{}, shape, f, first,
                                           rest...);
}

/// The value of an expression of spread variables, as a spread variable.
template <RecordedSpread X>
[[nodiscard]] auto recorded_spread(const X& x) {
  if constexpr (SpreadVariableType<X>) return x;
  else return spread_variable_t<spread_element_t<X>, layout_t<X>, spread_mesh_t<X>>(x);
}

}  // namespace internal

/// `Spread y = variable;`: a guard deletes the constructor.
template <FloatingElement T, class Layout, class... Where>
Spread(const SpreadVariable<T, Layout, Where...>&) -> Spread<T, Layout, Where...>;

/// A spread variable of the same value that records nothing.
template <FloatingElement T, class Layout, class... Where>
[[nodiscard]] SpreadVariable<T, Layout, Where...> constant(const SpreadVariable<T, Layout, Where...>& x) {
  return {x.mesh(), x.shape(),
          std::apply([](const auto&... part) { return std::tuple(situ::constant(part)...); }, x.parts())};
}
template <FloatingElement T, class Layout, class... Where>
[[nodiscard]] SpreadVariable<T, Layout, Where...> constant(const Spread<T, Layout, Where...>& x) {
  return {x.mesh(), x.shape(),
          std::apply([](const auto&... part) { return std::tuple(situ::constant(part)...); }, x.parts())};
}

/// The same spread value, recording nothing; see `no_grad` of tensors.
template <RecordedSpread X>
[[nodiscard]] auto no_grad(const X& x) {
  return internal::map_parts<layout_t<X>>(x.shape(), [](const auto& part) { return situ::no_grad(part); }, x);
}

}  // namespace situ
