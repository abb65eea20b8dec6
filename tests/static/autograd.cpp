// SPDX-License-Identifier: Apache-2.0
// What is a variable, what records, and what does not compile, for pairs of devices.
#include <cstdint>
#include <type_traits>

#include <situ/autograd.hpp>

namespace {

using namespace situ;

template <class L, class R>
concept Adds = requires(const L& a, const R& b) { a + b; };
template <class L, class R>
concept Multiplies = requires(const L& a, const R& b) { matmul(a, b); };
template <class L, class R>
concept Concatenates = requires(const L& a, const R& b) { concat(a, b); };

template <class D, class E>
constexpr bool keeps_apart() {
  using V = Variable<float, D>;
  using W = Variable<float, E>;
  using T = Tensor<float, E>;
  constexpr bool same = std::is_same_v<D, E>;
  static_assert(Adds<V, W> == same && Adds<V, T> == same && Adds<T, V> == same);
  static_assert(Multiplies<V, W> == same && Multiplies<V, T> == same && Multiplies<T, V> == same);
  static_assert(Concatenates<V, W> == same && Concatenates<V, T> == same && Concatenates<T, V> == same);
  static_assert(std::is_constructible_v<V, W> == same && std::is_constructible_v<V, T> == same);
  return true;
}
static_assert(keeps_apart<Cpu, Cpu>() && keeps_apart<Cpu, Pinned>() && keeps_apart<Pinned, Cpu>());
static_assert(keeps_apart<Cpu, Cuda<0>>() && keeps_apart<Cuda<0>, Cuda<0>>() && keeps_apart<Cuda<0>, Cuda<1>>());

using V = Variable<float>;
using T = Tensor<float>;

static_assert(TensorLike<V> && Recorded<V> && !Evaluable<V> && !TensorType<V>);
static_assert(!Adds<V, Variable<double>>, "element types do not promote");
static_assert(!std::is_constructible_v<T, V>, "a tensor would lose the gradient");
static_assert(!std::is_assignable_v<T&, V>);
static_assert(!std::is_convertible_v<T, V>, "that a tensor becomes a parameter is always written");
static_assert(std::is_constructible_v<V, T>);
static_assert(std::is_nothrow_move_constructible_v<V> && std::is_copy_assignable_v<V>);

template <class X>
concept ElementOfVariable = requires { typename Variable<X>; };
static_assert(!ElementOfVariable<std::int64_t> && !ElementOfVariable<bool>, "gradients are of floating elements");

template <class X>
using sum_t = decltype(sum(std::declval<X>()));
static_assert(std::is_same_v<sum_t<V>, V> && std::is_same_v<sum_t<T>, T>);
static_assert(std::is_same_v<decltype(sum(std::declval<V>() * std::declval<T>())), V>);
static_assert(std::is_same_v<decltype(matmul(std::declval<T>(), std::declval<V>())), V>);
static_assert(std::is_same_v<decltype(argmax(std::declval<V>())), Tensor<std::int64_t>>);
static_assert(std::is_same_v<decltype(std::declval<V>().to(gpu<1>)), Variable<float, Cuda<1>>>);
static_assert(std::is_same_v<decltype((std::declval<V>() * 2).to(gpu<1>)), Variable<float, Cuda<1>>>);
static_assert(std::is_same_v<decltype(eval(std::declval<V>() * 2)), V>);
static_assert(std::is_same_v<decltype(no_grad(std::declval<V>())), T>);

struct Plain {
  float operator()(float v) const noexcept { return v; }
};
template <class F, class X>
concept Maps = requires(F f, const X& x) { map(f, x); };
template <class X>
concept Evaluates = requires(const X& x) { situ::evaluate(x); };
static_assert(Evaluates<T> && !Evaluates<V> && !Evaluates<decltype(std::declval<V>() * 2)>, "a gradient would be lost");
static_assert(Maps<Plain, T> && !Maps<Plain, V>, "a functor over variables needs a derivative");

template <class X, class Y>
concept Accumulates = requires(X& x, const Y& y) { x += y; };
static_assert(Accumulates<T, T> && Accumulates<V, V> && Accumulates<V, int> && Accumulates<V, decltype(V() * 2)>);
static_assert(!Accumulates<V, T> && !Accumulates<V, decltype(T() * 2)>, "update changes a variable by tensors");
static_assert(!Accumulates<const V, V> && !Accumulates<T, V>);

}  // namespace
