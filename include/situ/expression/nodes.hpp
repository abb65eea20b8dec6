// SPDX-License-Identifier: Apache-2.0
// The nodes of a lazy element-wise expression. A node holds its operands by value (a tensor's handle, another node), so
// `auto e = a + b;` is always safe: nothing dangles, and later writes to `a` do not affect it.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <situ/core/broadcast.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/member_layout.hpp>
#include <situ/core/pack.hpp>
#include <situ/core/scalar.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/foreign.hpp>
#include <situ/expression/diagnostics.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// A scalar inside an expression, rounded to the element type of its neighbors.
template <Element T>
struct Scalar {
  using value_type = T;
  compute_t<T> value;
};

template <class X>
inline constexpr bool is_map = false;

template <class Node>
inline constexpr int node_count = 1;
/// A leaf that is not a tensor but has one, `value()`: a `Variable` of autograd/.
template <class Node>
concept TensorHolder = requires { typename Node::holds_a_tensor; };

template <class Node>
inline constexpr int leaf_count = is_tensor<Node> || TensorHolder<Node> ? 1 : 0;

template <class F, class... T>
struct ResultOf {
  template <class First, class... Rest>
  static auto last(std::type_identity<First> first, Rest... rest) {
    if constexpr (sizeof...(Rest) == 0) return first;
    else return last(rest...);
  }
  // the last operand has the type that the functor computes in: `where(mask, a, b)` has a mask before it
  using Operand = typename decltype(last(std::type_identity<T>{}...))::type;
};

/// The device of the first operand that has one.
template <class First, class... Rest>
struct DeviceOf {
  using type = typename DeviceOf<Rest...>::type;
};
template <class First, class... Rest>
  requires TensorLike<First>
struct DeviceOf<First, Rest...> {
  using type = device_t<First>;
};

/// How an expression stores an operand: a tensor's handle, a node, the tensor that a slot selects.
template <class X>
[[nodiscard]] decltype(auto) stored(X&& operand) {
  using Plain = std::remove_cvref_t<X>;
  if constexpr (requires { operand.owner(); }) return operand.tensor();
  else return Plain(std::forward<X>(operand));
}
template <class X>
using stored_t = std::remove_cvref_t<decltype(stored(std::declval<X>()))>;

/// How an expression stores the operands of a functor on elements `T`, one of which may be a weak scalar. (The type is
/// not deduced from a function: clang would form it before checking the constraints, and compile the body.)
template <Element T, class X>
struct StoredOperand {
  using type = Scalar<T>;
};
template <Element T, TensorLike X>
struct StoredOperand<T, X> {
  using type = stored_t<X>;
};
template <Element T, ForeignOperand X>
struct StoredOperand<T, X> {
  using type = Tensor<T, foreign_device_t<X>>;  // its value now: a node owns its operands
};
template <Element T, class X>
using stored_operand_t = typename StoredOperand<T, X>::type;

/// An operand as the node stores it: a `Kept`.
template <class Kept, class X>
[[nodiscard]] Kept stored_as(X&& operand, [[maybe_unused]] const char* operation, [[maybe_unused]] const char* fix) {
  if constexpr (TensorLike<X> || std::same_as<std::remove_cvref_t<X>, Kept>) {
    return stored(std::forward<X>(operand));
  } else if constexpr (ForeignOperand<X>) {
    return Foreign<std::remove_cvref_t<X>>::tensor(operand);
  } else {
    using T = typename Kept::value_type;
    return {static_cast<compute_t<T>>(element_from_scalar<T>(operand, operation, fix))};
  }
}

/// The shape of an operand, null if it has none.
template <class X>
[[nodiscard]] const Shape* shape_pointer(const X& operand) {
  if constexpr (TensorLike<X>) return &operand.shape();
  else return nullptr;
}
/// The broadcast shape of those that are not null.
[[nodiscard]] inline Shape broadcast_all(std::initializer_list<const Shape*> shapes, const char* operation) {
  const Shape* widest = nullptr;
  for (const Shape* const shape : shapes) {
    if (shape != nullptr && (widest == nullptr || widest->rank() < shape->rank())) widest = shape;
  }
  SITU_ASSERT(widest != nullptr);
  bool stretch = true;  // to one of them, which is copied once
  for (const Shape* const shape : shapes) {
    stretch = stretch && (shape == nullptr || shape == widest || stretches_to(*shape, *widest));
  }
  if (stretch) return *widest;
  const Shape* first = nullptr;
  Shape result;
  for (const Shape* const shape : shapes) {
    if (shape == nullptr) continue;
    if (first == nullptr) result = *(first = shape);
    else result = broadcast_shapes(result, *shape, operation);
  }
  return result;
}
/// Whether a shape is null, the first one, or equal to the first.
[[nodiscard, SITU_INLINE]] inline bool is_first_or_same(const Shape*& first, const Shape* shape) noexcept {
  if (shape == nullptr) return true;
  if (first == nullptr) first = shape;
  return first == shape || *first == *shape;
}
/// The shape of operands, broadcast; at least one has a shape.
template <std::size_t... At, class... Args>
[[nodiscard, SITU_INLINE]] inline Shape shape_over(const PackBase<std::index_sequence<At...>, Args...>& args,
                                                   const char* operation) {
  const Shape* first = nullptr;
  if ((is_first_or_same(first, shape_pointer(get<At>(args))) && ...)) return *first;
  return broadcast_all({shape_pointer(get<At>(args))...}, operation);
}

/// Whether a functor has the same layout for the host's compiler and for the kernels of `D` that read it.
template <class F, class D>
inline constexpr bool laid_out_alike = !members_overlap<F>();
template <class F, HostDevice D>
inline constexpr bool laid_out_alike<F, D> = true;

/// The element type of functor `F` for operands with elements `T...`. The library's functors have a member template
/// `result`; for a user's functor it is the type of a call with one element of each.
template <class F, class... T>
struct result_element {
  using type = std::remove_cvref_t<std::invoke_result_t<const F&, compute_t<T>...>>;
};

}  // namespace internal
/// @cond
template <class F, class... T>
  requires requires { typename F::lane_functor; }
struct internal::result_element<F, T...> {
  using type = typename F::template result<typename internal::ResultOf<F, T...>::Operand>;
};
/// @endcond
namespace internal {

/// The element type of the operation on these operands.
template <class F, class... T>
using result_element_t = typename result_element<F, T...>::type;

}  // namespace internal

template <class F, class... Args>
class LazyUntilEval;
namespace internal {
template <class F, class... Args>
inline constexpr bool is_map<LazyUntilEval<F, Args...>> = true;
}  // namespace internal

/// A functor with operands, evaluated when it becomes a tensor. The shape is that of the operands, broadcast; a
/// mismatch throws `ShapeError` at the operator. The class is named for errors in which its name is all that the
/// library controls: `f(x + 1)` where `f` deduces a `Tensor`.
template <class F, class... Args>
class LazyUntilEval
    : public placed<internal::result_element_t<F, typename Args::value_type...>,
                    typename internal::DeviceOf<Args...>::type>,
      public EvaluatedReads<LazyUntilEval<F, Args...>, internal::result_element_t<F, typename Args::value_type...>,
                            typename internal::DeviceOf<Args...>::type> {
 public:
  using value_type = internal::result_element_t<F, typename Args::value_type...>;
  using device_type = typename internal::DeviceOf<Args...>::type;
  static_assert(Element<value_type>,
                "map: the functor must give an element type (bool, uint8_t, int32_t, int64_t, float, double, ...)");
  static_assert(internal::laid_out_alike<F, device_type>,
                "map: members of a functor for a GPU must not share bytes, as by [[no_unique_address]] or as "
                "bit-fields: nvcc and "
                "the host's compiler may put them at different addresses");
  static_assert((1 + ... + internal::node_count<Args>) <= 64,
                "this expression has more than 64 nodes: call eval() on a part of it, which computes that part once");

  /// Each stored operand is constructed in place: moving a handle through parameters would cost as much as a small
  /// operation.
  template <class... X>
  explicit LazyUntilEval(F function, std::in_place_t, X&&... operands)
      : function_(std::move(function)),
        args_{{{internal::stored_as<Args>(std::forward<X>(operands), operation(), scalar_advice())}...}},
        shape_(internal::shape_over(args_, operation())) {}

  // A guard, see diagnostics.hpp: `auto y = x * 2; y = y + 1;`, and a lambda that returns one of two expressions.
  template <TensorLike Other, class Fix = expressions_are_of_different_types::fix_call_eval>
    requires(internal::is_map<Other> && !std::same_as<Other, LazyUntilEval>)
  LazyUntilEval(const Other&) = delete;

  /// The shape of the result, the functor, and the operands.
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const F& function() const noexcept { return function_; }
  [[nodiscard]] const internal::Pack<Args...>& args() const noexcept { return args_; }

 private:
  /// What an error says to do about a scalar that the element type cannot hold.
  static constexpr const char* scalar_advice() {
    if constexpr (requires { F::compares; }) return internal::all_compare_alike;
    else return internal::cast_to_wider_elements;
  }
  static constexpr const char* operation() {
    if constexpr (requires { F::name; }) return F::name;
    else return "map";
  }

  [[no_unique_address]] F function_;
  internal::Pack<Args...> args_;
  Shape shape_;
};

namespace internal {

/// The same element everywhere: what `full` and `x.at(...) = scalar` evaluate.
template <Element T, Device D>
class Fill : public placed<T, D> {
 public:
  using value_type = T;
  using device_type = D;

  Fill(const Shape& shape, T value) noexcept : shape_(shape), value_(value) {}

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] T value() const noexcept { return value_; }

 private:
  Shape shape_;
  T value_;
};

template <class F, class... Args>
inline constexpr int node_count<LazyUntilEval<F, Args...>> = (1 + ... + node_count<Args>);
template <class F, class... Args>
inline constexpr int leaf_count<LazyUntilEval<F, Args...>> = (0 + ... + leaf_count<Args>);

template <TensorHolder X>
inline constexpr bool records<X> = true;
template <class F, class... Args>
inline constexpr bool records<LazyUntilEval<F, Args...>> =
    DifferentiableElement<typename LazyUntilEval<F, Args...>::value_type> && (records<Args> || ...);

/// An operand that is only read, during one call: a slot becomes the tensor it selects, anything else is a reference.
template <class X>
[[nodiscard]] decltype(auto) readable(const X& operand) {
  if constexpr (is_slot<X>) return operand.tensor();
  else return (operand);
}

}  // namespace internal

}  // namespace situ
