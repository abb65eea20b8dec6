// SPDX-License-Identifier: Apache-2.0
// The program of an element-wise expression for a backend: a trivially copyable tree of constants, numbered leaves and
// functors; the memory of the leaves is described separately. The type depends only on functors and element types,
// never on a device, so that all devices of a kind share every kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/lane.hpp>
#include <situ/core/pack.hpp>
#include <situ/core/shape.hpp>

namespace situ::internal::program {

/// An operand read from memory; `Index` counts the leaves from left to right.
template <Element T, int Index>
struct Leaf {
  using value_type = T;
};

/// A scalar, already rounded to the element type.
template <Element T>
struct Constant {
  using value_type = T;
  typename ScalarLane<compute_t<T>>::held value;
};

/// The result type of a functor with several results, such as an optimizer's step: a `Pack` of values for elements of
/// these types. Only at the root of a program.
template <Element... T>
struct Several {};

/// A functor applied to the values of its children; returns elements of type `Result`, or `Several`. (Without
/// `[[no_unique_address]]`: a gradient copies its tree to the GPU, and nvcc lays out such members differently,
/// docs/decisions/kernels-as-structs.md.)
template <class F, class Result, class... Nodes>
struct Call {
  using value_type = Result;
  F function;
  Pack<Nodes...> nodes;
};

template <class Result>
inline constexpr bool is_several = false;
template <class... T>
inline constexpr bool is_several<Several<T...>> = true;

/// The type of a value of `Result`: the compute type of its elements, or a `Pack` of these.
template <class Result>
struct ValueOf {
  using type = compute_t<Result>;
};
template <class... T>
struct ValueOf<Several<T...>> {
  using type = Pack<compute_t<T>...>;
};

/// Result `At` of a program's value.
template <std::size_t At, class V>
[[SITU_INLINE]] constexpr const V& result(const V& value) {
  return value;
}
template <std::size_t At, class... V>
[[SITU_INLINE]] constexpr const auto& result(const Pack<V...>& values) {
  return get<At>(values);
}

template <class... T>
struct TypeList {};

namespace detail {

template <class Before, class Node>
struct LeafTypes {
  using type = Before;
};
template <class... Before, class T, int Index>
struct LeafTypes<TypeList<Before...>, Leaf<T, Index>> {
  using type = TypeList<Before..., T>;
};
template <class Before, class F, class R, class First, class... Rest>
struct LeafTypes<Before, Call<F, R, First, Rest...>>
    : LeafTypes<typename LeafTypes<Before, First>::type, Call<F, R, Rest...>> {};

}  // namespace detail

/// The element types of a program's leaves, from left to right, as a `TypeList`.
template <class Program>
using leaf_types = typename detail::LeafTypes<TypeList<>, Program>::type;

/// The number of leaves of a program.
template <class Node>
inline constexpr int leaf_count_v = 0;
template <class T, int Index>
inline constexpr int leaf_count_v<Leaf<T, Index>> = 1;
template <class F, class R, class... Nodes>
inline constexpr int leaf_count_v<Call<F, R, Nodes...>> = (0 + ... + leaf_count_v<Nodes>);

/// The number of its nodes.
template <class Node>
inline constexpr int node_count_v = 1;
template <class F, class R, class... Nodes>
inline constexpr int node_count_v<Call<F, R, Nodes...>> = (1 + ... + node_count_v<Nodes>);

/// The memory of a leaf: the address of its first element, and strides in elements, 0 along broadcast axes. (Here and
/// below, strides beyond the rank are unspecified.)
struct Operand {
  const void* data;
  int element_size;
  Strides strides;
};

/// The place of a result, with the shape that operands have been broadcast to.
struct Destination {
  void* data = nullptr;
  int element_size = 0;
  Shape shape;
  Strides strides{};
};

/// One of several expressions of one shape that are computed together.
template <Element T, class Program, std::size_t Leaves>
struct Result {
  using value_type = T;
  Program program;
  std::array<Operand, Leaves> operands;
  Destination to;
};

}  // namespace situ::internal::program
