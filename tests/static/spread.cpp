// SPDX-License-Identifier: Apache-2.0
// The algebra of layouts: what each operation makes of each layout, and what is refused; refused means that `requires`
// is false. Every element-wise function of the table is asked in every layout.
#include <complex>
#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <situ/complex.hpp>
#include <situ/distributed.hpp>

#include "../functions.hpp"
#include "layout_of.hpp"

namespace {

using namespace situ;
using Max = Partial<ReduceOp::max>;
using Min = Partial<ReduceOp::min>;
template <class L>
using X = Over<float, L>;
using R = X<Replicated>;
using S0 = X<Sharded<0>>;
using S1 = X<Sharded<1>>;
using P = X<Partial<>>;
using L = X<Local>;

// --- every element-wise function
// ----------------------------------------------------------------------------------------
/// Whether the expression for the parts is that of tensors.
template <class Call, class... Operand>
inline constexpr bool same_nodes = std::same_as<
    std::tuple_element_t<0, typename std::invoke_result_t<const Call&, const Operand&...>::parts_type>,
    std::invoke_result_t<const Call&, const std::tuple_element_t<0, typename Operand::parts_type>&...>>;

/// The rules of the table. A rule that does not hold has no definition, so that the error names the rule and the
/// function: `incomplete type 'keeps_the_layout_of_a_spread<internal::functional::Tanh, float, false>'`. (The type of a
/// row is unreadable.)
template <class Functor, class T, bool Holds>
struct keeps_the_layout_of_a_spread;
template <class Functor, class T>
struct keeps_the_layout_of_a_spread<Functor, T, true> : std::true_type {};
template <class Functor, class T, bool Holds>
struct takes_a_pending_sum_only_if_linear;
template <class Functor, class T>
struct takes_a_pending_sum_only_if_linear<Functor, T, true> : std::true_type {};
template <class Functor, class T, bool Holds>
struct computes_parts_as_tensors;
template <class Functor, class T>
struct computes_parts_as_tensors<Functor, T, true> : std::true_type {};

template <class Row, Element T>
struct OfOne {
  using Call = decltype(Row::call);
  using F = decltype(Row::functor);
  template <class Layout>
  static constexpr bool keeps = gives<std::conditional_t<Row::template accepts<T>, Layout, void>, Call, Over<T, Layout>>;
  static constexpr bool negates = std::same_as<F, internal::functional::Negate> && NumberElement<T>;
  static_assert(keeps_the_layout_of_a_spread<F, T, keeps<Replicated> && keeps<Sharded<0>> && keeps<Sharded<3>> && keeps<Local>>::value);
  static_assert(takes_a_pending_sum_only_if_linear<F, T, gives<std::conditional_t<negates, Partial<>, void>, Call, Over<T, Partial<>>>>::value);
  static_assert(takes_a_pending_sum_only_if_linear<F, T, refused<Call, Over<T, Max>> && refused<Call, Over<T, Min>>>::value);
  static_assert(computes_parts_as_tensors<F, T, [] {
    if constexpr (Row::template accepts<T> && keeps<Sharded<0>>) return same_nodes<Call, Over<T, Sharded<0>>>;
    else return true;
  }()>::value);
};

template <class Row, Element T>
struct OfTwo {
  using Call = decltype(Row::call);
  using F = decltype(Row::functor);
  template <class Expected, class A, class B>
  static constexpr bool joins =
      gives<std::conditional_t<Row::template accepts<T>, Expected, void>, Call, Over<T, A>, Over<T, B>>;
  template <class A, class B>
  static constexpr bool refuses = refused<Call, Over<T, A>, Over<T, B>>;
  static_assert(keeps_the_layout_of_a_spread<
                F, T, joins<Replicated, Replicated, Replicated> && joins<Sharded<1>, Sharded<1>, Sharded<1>>>::value);
  static_assert(joins<Sharded<0>, Replicated, Sharded<0>> && joins<Sharded<0>, Sharded<0>, Replicated>);
  static_assert(joins<Local, Local, Local> && joins<Local, Replicated, Local> && joins<Local, Local, Replicated>);
  static_assert(refuses<Sharded<0>, Sharded<1>> && refuses<Sharded<0>, Local> && refuses<Local, Sharded<0>>);
  static_assert(refuses<Max, Max> && refuses<Max, Replicated> && refuses<Partial<>, Min> && refuses<Partial<>, Local>);
  static_assert(refuses<Partial<>, Sharded<0>> && refuses<Sharded<0>, Partial<>>);
  // what is linear
  static constexpr bool adds = (std::same_as<F, internal::functional::Add> ||
                                std::same_as<F, internal::functional::Subtract>) && NumberElement<T>;
  static constexpr bool multiplies = std::same_as<F, internal::functional::Multiply> && NumberElement<T>;
  static constexpr bool divides = std::same_as<F, internal::functional::Divide> && FloatingElement<T>;
  template <bool Linear, class A, class B>
  static constexpr bool linear = gives<std::conditional_t<Linear, Partial<>, void>, Call, A, B>;
  static_assert(linear<adds, Over<T, Partial<>>, Over<T, Partial<>>>);
  static_assert(linear<multiplies || divides, Over<T, Partial<>>, Over<T, Replicated>>);
  static_assert(linear<multiplies, Over<T, Replicated>, Over<T, Partial<>>>);
  static_assert(linear<multiplies || divides, Over<T, Partial<>>, T> && linear<multiplies, T, Over<T, Partial<>>>);
  // a number is the same on all devices
  static_assert(gives<std::conditional_t<Row::template accepts<T>, Sharded<0>, void>, Call, Over<T, Sharded<0>>, T>);
  static_assert(gives<std::conditional_t<Row::template accepts<T>, Local, void>, Call, T, Over<T, Local>>);
  // other devices, in another order, other elements, a tensor
  static_assert(refused<Call, Over<T, Replicated>, Spread<T, Replicated, Cuda<1>, Cuda<0>>>);
  static_assert(refused<Call, Over<T, Replicated>, Spread<T, Replicated, Cuda<0>>>);
  static_assert(refused<Call, Over<T, Replicated>, Over<std::uint8_t, Replicated>>);
  static_assert(refused<Call, Over<T, Replicated>, Tensor<T, Cuda<0>>> && refused<Call, Tensor<T, Cuda<0>>, Over<T, Local>>);
};

template <Element... T>
void table_of_functions() {
  function_table::for_each_unary([]<class Row>(const Row&) { (static_cast<void>(OfOne<Row, T>()), ...); });
  function_table::for_each_binary([]<class Row>(const Row&) { (static_cast<void>(OfTwo<Row, T>()), ...); });
}
[[maybe_unused]] constexpr auto instantiated = &table_of_functions<bool, std::int32_t, float>;

// --- operations with options
// --------------------------------------------------------------------------------------------
struct Choose { template <class M, class A, class B> auto operator()(const M& m, const A& a, const B& b) const -> decltype(where(m, a, b)) { return where(m, a, b); } };
struct Limit { template <class A> auto operator()(const A& a) const -> decltype(clamp(a, 0, 1)) { return clamp(a, 0, 1); } };
template <class To>
struct CastTo { template <class A> auto operator()(const A& a) const -> decltype(cast<To>(a)) { return cast<To>(a); } };
struct Near { template <class A, class B> auto operator()(const A& a, const B& b) const -> decltype(isclose(a, b)) { return isclose(a, b); } };
/// An activation that is made of other functions, which would each be asked in its body.
struct Composed { template <class A> auto operator()(const A& a) const -> decltype(std::tuple(celu(a), hardsigmoid(a), hardswish(a), hardtanh(a), mish(a), softsign(a))) { return {celu(a), hardsigmoid(a), hardswish(a), hardtanh(a), mish(a), softsign(a)}; } };
struct Join { constexpr float operator()(float a, float b) const noexcept { return a + b; } };
struct Mapped { template <class A, class B> auto operator()(const A& a, const B& b) const -> decltype(map(Join{}, a, b)) { return map(Join{}, a, b); } };
using Mask = Over<bool, Sharded<0>>;

static_assert(gives<Sharded<0>, Choose, Mask, S0, R> && gives<Sharded<0>, Choose, Over<bool, Replicated>, S0, int>);
static_assert(gives<Replicated, Choose, Over<bool, Replicated>, R, R> && gives<Sharded<0>, Choose, Mask, R, R>);
static_assert(refused<Choose, Mask, S1, R> && refused<Choose, Mask, S0, P> && refused<Choose, Mask, P, P>);
static_assert(refused<Choose, S0, S0, S0> && refused<Choose, Mask, S0, Over<double, Sharded<0>>>);
static_assert(refused<Choose, Over<bool, Max>, R, R> && refused<Choose, Mask, S0, Tensor<float, Cuda<0>>>);
static_assert(gives<Sharded<1>, Limit, S1> && gives<Local, Limit, L> && refused<Limit, P> && refused<Limit, X<Max>>);
static_assert(gives<Replicated, CastTo<int>, R> && gives<Partial<>, CastTo<double>, P>);
static_assert(gives<Partial<>, CastTo<float>, Over<bfloat16, Partial<>>>);
static_assert(refused<CastTo<int>, P> && refused<CastTo<float16>, P> && refused<CastTo<float>, P>);
static_assert(refused<CastTo<double>, X<Max>> && refused<CastTo<double>, Over<int, Partial<>>>);
static_assert(gives<Sharded<0>, Near, S0, R> && gives<Local, Near, L, float> && refused<Near, P, P> && refused<Near, S0, S1>);
static_assert(std::invocable<Composed, S0> && std::invocable<Composed, R> && std::invocable<Composed, L>);
static_assert(refused<Composed, P> && refused<Composed, X<Max>> && refused<Composed, Over<int, Replicated>>);
struct ComplexFunctions { template <class A> auto operator()(const A& a) const -> decltype(exp(conj(a)) * polar(abs(a), angle(a))) { return exp(conj(a)) * polar(abs(a), angle(a)); } };
static_assert(gives<Sharded<0>, ComplexFunctions, Over<std::complex<float>, Sharded<0>>>);
static_assert(gives<Local, ComplexFunctions, Over<std::complex<float>, Local>> && refused<ComplexFunctions, Over<std::complex<float>, Partial<>>>);
static_assert(gives<Sharded<0>, Mapped, S0, S0> && gives<Sharded<0>, Mapped, R, S0> && refused<Mapped, S0, S1>);
static_assert(refused<Mapped, P, P> && refused<Mapped, R, P> && refused<Mapped, S0, Tensor<float, Cuda<0>>>);

// --- in place
// -----------------------------------------------------------------------------------------------------------
template <class A, class B>
concept Adds = requires(A& a, const B& b) { a += b; a -= b; };
template <class A, class B>
concept Scales = requires(A& a, const B& b) { a *= b; a /= b; };
static_assert(Adds<S0, R> && Adds<S0, S0> && Adds<R, R> && Adds<P, P> && Adds<L, R> && Adds<R, float> && Scales<P, R>);
static_assert(!Adds<R, S0> && !Adds<R, L> && !Adds<R, P> && !Adds<P, R> && !Adds<P, int> && !Adds<S0, S1> && !Adds<const R, R>);
static_assert(!Scales<P, P> && !Scales<R, P> && !Scales<X<Max>, int> && Scales<P, int>);

// --- reductions
// ---------------------------------------------------------------------------------------------------------
template <auto... How>
struct Sum { template <class A> auto operator()(const A& a) const -> decltype(sum<How...>(a)) { return sum<How...>(a); } };
template <auto... How>
struct Mean { template <class A> auto operator()(const A& a) const -> decltype(mean<How...>(a)) { return mean<How...>(a); } };
template <auto... How>
struct Largest { template <class A> auto operator()(const A& a) const -> decltype(max<How...>(a)) { return max<How...>(a); } };
template <auto... How>
struct Smallest { template <class A> auto operator()(const A& a) const -> decltype(min<How...>(a)) { return min<How...>(a); } };
template <auto... How>
struct Every { template <class A> auto operator()(const A& a) const -> decltype(all<How...>(a)) { return all<How...>(a); } };
template <auto... How>
struct Some { template <class A> auto operator()(const A& a) const -> decltype(any<How...>(a)) { return any<How...>(a); } };
template <auto... How>
struct Var { template <class A> auto operator()(const A& a) const -> decltype(var<How...>(a)) { return var<How...>(a); } };
template <auto... How>
struct Product { template <class A> auto operator()(const A& a) const -> decltype(prod<How...>(a)) { return prod<How...>(a); } };
template <auto... How>
struct Position { template <class A> auto operator()(const A& a) const -> decltype(argmax<How...>(a)) { return argmax<How...>(a); } };
template <auto... How>
struct Deviation { template <class A> auto operator()(const A& a) const -> decltype(stddev<How...>(a)) { return stddev<How...>(a); } };
template <auto... How>
struct FirstPosition { template <class A> auto operator()(const A& a) const -> decltype(argmin<How...>(a)) { return argmin<How...>(a); } };
template <auto... How>
struct Length { template <class A> auto operator()(const A& a) const -> decltype(norm<How...>(a)) { return norm<How...>(a); } };

static_assert(gives<Replicated, Sum<>, R> && gives<Replicated, Sum<1>, R> && gives<Local, Sum<0>, L>);
static_assert(gives<Partial<>, Sum<>, S0> && gives<Partial<>, Sum<0>, S0> && gives<Partial<>, Sum<0, 1>, S1>);
static_assert(gives<Sharded<0>, Sum<1>, S0> && gives<Sharded<0>, Sum<0>, S1> && gives<Sharded<1>, Sum<0, keepdims>, S1>);
static_assert(gives<Sharded<1>, Sum<0, 2>, X<Sharded<3>>> && gives<Sharded<3>, Sum<0, 2, keepdims>, X<Sharded<3>>>);
static_assert(gives<Partial<>, Sum<>, P> && gives<Partial<>, Sum<0>, P> && refused<Sum<0>, X<Max>>);
static_assert(refused<Sum<-1>, S0> && refused<Sum<internal::max_rank>, S0> && refused<Sum<true>, S0>);
static_assert(gives<Partial<>, Mean<0>, S0> && gives<Sharded<0>, Mean<1>, S0> && gives<Replicated, Mean<>, R>);
static_assert(refused<Mean<0>, P> && refused<Mean<>, Over<int, Sharded<0>>>);
static_assert(gives<Max, Largest<>, S1> && gives<Min, Smallest<1>, S1> && gives<Sharded<0>, Largest<0>, S1>);
static_assert(refused<Largest<>, P> && refused<Smallest<>, X<Min>> && refused<Largest<0>, X<Max>>);
static_assert(gives<Min, Every<0>, S0> && gives<Max, Some<0>, S0> && gives<Sharded<0>, Every<1>, S0> && refused<Some<>, P>);
static_assert(gives<Sharded<0>, Var<1>, S0> && gives<Replicated, Var<>, R> && gives<Local, Var<>, L>);
static_assert(refused<Var<0>, S0> && refused<Var<>, S0> && refused<Var<0, 1>, S1> && refused<Var<1>, P>);
static_assert(gives<Sharded<0>, Product<0>, S1> && refused<Product<1>, S1> && refused<Product<>, S1> && refused<Product<0>, P>);
static_assert(gives<Sharded<0>, Position<1>, S0> && gives<Replicated, Position<>, R> && refused<Position<0>, S0>);
static_assert(refused<Position<>, S0> && refused<Position<0>, X<Max>> && refused<Position<0, 1>, R>);
static_assert(gives<Sharded<0>, Deviation<1>, S0> && refused<Deviation<0>, S0> && refused<Deviation<1>, P>);
static_assert(gives<Sharded<0>, FirstPosition<1>, S0> && gives<Replicated, FirstPosition<>, R> && refused<FirstPosition<0>, S0>);
static_assert(refused<FirstPosition<>, S0> && refused<FirstPosition<0>, X<Max>> && refused<FirstPosition<0, 1>, R>);
static_assert(gives<Sharded<0>, Length<1>, S0> && refused<Length<0>, S0> && refused<Length<>, P>);

// --- what moves data
// ----------------------------------------------------------------------------------------------------
struct AllReduce { template <class A> auto operator()(const A& a) const -> decltype(all_reduce(a)) { return all_reduce(a); } };
struct ReduceScatter { template <class A> auto operator()(const A& a) const -> decltype(reduce_scatter<1>(a)) { return reduce_scatter<1>(a); } };
struct AllGather { template <class A> auto operator()(const A& a) const -> decltype(all_gather(a)) { return all_gather(a); } };
struct Reshard { template <class A> auto operator()(const A& a) const -> decltype(reshard<1>(a)) { return reshard<1>(a); } };
struct Shard { template <class A> auto operator()(const A& a) const -> decltype(shard<1>(a)) { return shard<1>(a); } };
struct AsPartial { template <class A> auto operator()(const A& a) const -> decltype(partial(a)) { return partial(a); } };
static_assert(gives<Replicated, AllReduce, P> && gives<Replicated, AllReduce, X<Max>> && gives<Replicated, AllReduce, Over<bool, Min>>);
static_assert(refused<AllReduce, R> && refused<AllReduce, S0> && refused<AllReduce, L> && refused<AllReduce, Over<bool, Partial<>>>);
static_assert(gives<Sharded<1>, ReduceScatter, P> && refused<ReduceScatter, R> && refused<ReduceScatter, S0> && refused<ReduceScatter, L>);
static_assert(gives<Replicated, AllGather, S0> && refused<AllGather, R> && refused<AllGather, P> && refused<AllGather, L>);
static_assert(gives<Sharded<1>, Reshard, S0> && gives<Sharded<1>, Reshard, S1> && refused<Reshard, R> && refused<Reshard, P> && refused<Reshard, L>);
static_assert(gives<Sharded<1>, Shard, R> && refused<Shard, P> && refused<Shard, S0> && refused<Shard, L>);
static_assert(gives<Partial<>, AsPartial, R> && refused<AsPartial, S0> && refused<AsPartial, L> && refused<AsPartial, P>);

template <class A>
concept Gathered = requires(const A& a) { gather(a, cpu); };
template <class A>
concept Printed = requires(const A& a) { to_string(a); };
static_assert(Gathered<R> && Gathered<S1> && !Gathered<P> && !Gathered<L> && !Gathered<X<Max>>);
static_assert(Printed<R> && Printed<S1> && Printed<L> && !Printed<P> && !Printed<X<Min>>);
template <class A>
concept HasItem = requires(const A& a) { a.item(); };
static_assert(HasItem<Spread<float, Replicated, Cpu, Pinned>> && HasItem<Spread<float, Replicated, Pinned, Cuda<0>>>);
static_assert(!HasItem<R> && !HasItem<Spread<float, Partial<>, Cpu, Cpu>> && !HasItem<Spread<float, Sharded<0>, Cpu>>);
template <class A>
concept Sent = requires(const A& a) { a.to(cpu); };
static_assert(!Sent<R> && !Sent<P>);
template <class A>
concept Spreadable = requires(const A& a) { shard<0>(a, gpu<0>, cpu); replicate(a, gpu<0>); as<Local>(a); };
static_assert(Spreadable<Tensor<bool, Pinned>> && !Spreadable<float> && !Spreadable<R> && !Spreadable<S0>);
template <class A>
concept SpreadNowhere = requires(const A& a) { shard<0>(a); } || requires(const A& a) { replicate(a); };
static_assert(!SpreadNowhere<Tensor<float>>, "devices must be named");
template <class... A>
concept Stated = requires(const A&... a) { as<Sharded<0>>(a...); };
static_assert(Stated<Tensor<float>, Tensor<float, Cuda<0>>> && !Stated<> && !Stated<Tensor<float>, Tensor<double>> && !Stated<R>);

// --- no layout becomes another by assignment
// ------------------------------------------------------------------------------
static_assert(std::constructible_from<S0, const S0&> && std::assignable_from<S0&, decltype(S0() + S0())>);
static_assert(!std::constructible_from<R, const P&> && !std::constructible_from<R, const S0&> && !std::constructible_from<S0, const S1&>);
static_assert(!std::constructible_from<P, const R&> && !std::constructible_from<S0, const R&> && !std::assignable_from<R&, decltype(S0() + 1)>);
static_assert(!std::constructible_from<Tensor<float>, const Spread<float, Replicated, Cpu>&>);
static_assert(std::same_as<decltype(Spread(S0() + R())), S0> && std::same_as<decltype(Spread(S0() == R())), Mask>);

}  // namespace
