// SPDX-License-Identifier: Apache-2.0
// Creation, views, joins, indexing, order, products and random tensors: they compile for every device with the right
// type, and mixed devices or element types are rejected, by the overload set and not by an error inside it.
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include <situ/situ.hpp>

namespace static_operations {

using namespace situ;

template <class X, class T, class D>
void is(const X&) {
  static_assert(std::same_as<X, Tensor<T, D>>);
}

template <Device D>
void every_operation(D device) {
  Generator generator(1);
  const Tensor x = ones<float>({2, 3}, device);
  const Tensor i = zeros<int64_t>({2, 3}, device);
  is<Tensor<float, D>, float, D>(x);
  is<Tensor<float, D>, float, D>(tensor({{1.f, 2.f}}, device));
  is<Tensor<float, D>, float, D>(from_span<float>(std::vector<float>{1, 2}, {2}, device));
  is<Tensor<float, D>, float, D>(full({2}, 1.f, device));
  is<Tensor<int32_t, D>, int32_t, D>(arange<int32_t>(0, 4, device));
  is<Tensor<double, D>, double, D>(linspace<double>(0, 1, 3, device));
  is<Tensor<bool, D>, bool, D>(eye<bool>(3, device));
  is<Tensor<float, D>, float, D>(full_like(x, 2));
  is<Tensor<float, D>, float, D>(reshape(x, {3, -1}));
  is<Tensor<float, D>, float, D>(flatten(permute(transpose(x), {1, 0})));
  is<Tensor<float, D>, float, D>(squeeze(unsqueeze(contiguous(flip(x)), 0)));
  is<Tensor<float, D>, float, D>(broadcast_to(diagonal(x), {2, 2}));
  is<Tensor<float, D>, float, D>(concat(x, x + 1, x, 1));
  is<Tensor<float, D>, float, D>(stack(split(x, 3, 1), 0));
  is<Tensor<float, D>, float, D>(pad(tile(roll(x, 1), {2}), {{1, 1}, {0, 0}}));
  is<Tensor<float, D>, float, D>(take(x, i, 0));
  is<Tensor<float, D>, float, D>(gather(x, 1, i));
  is<Tensor<float, D>, float, D>(scatter_add(scatter(x, 1, i, x), 0, i, x));
  is<Tensor<uint8_t, D>, uint8_t, D>(one_hot<uint8_t>(i, 2));
  is<Tensor<float, D>, float, D>(sort(x, 0));
  is<Tensor<int64_t, D>, int64_t, D>(argsort(x));
  const auto [values, indices] = topk(x, 2);
  is<Tensor<float, D>, float, D>(values);
  is<Tensor<int64_t, D>, int64_t, D>(indices);
  is<Tensor<float, D>, float, D>(matmul(x, transpose(x)));
  is<Tensor<float, D>, float, D>(outer(flatten(x), flatten(x)));
  is<Tensor<float, D>, float, D>(dot(flatten(x), flatten(x)));
  is<Tensor<float, D>, float, D>(tril(triu(x)));
  is<Tensor<float, D>, float, D>(diag(flatten(x)));
  is<Tensor<float16, D>, float16, D>(rand<float16>({2}, device, generator));
  is<Tensor<double, D>, double, D>(randn<double>({2}, device));
  is<Tensor<int64_t, D>, int64_t, D>(randint(0, 9, {2}, device, generator));
  is<Tensor<bool, D>, bool, D>(bernoulli(0.5, {2}, device));
  is<Tensor<int64_t, D>, int64_t, D>(permutation(5, device, generator));
}
template void every_operation(Cpu);
template void every_operation(Pinned);
template void every_operation(Cuda<0>);
template void every_operation(Cuda<1>);

// A device that is known at run time only is refused by a guard of each function: it takes what the error names.
using Guard = the_device_is_known_at_run_time_only::fix_call_with_device;
template <class D>
concept MakesTensorsOn = requires(D device, const Shape& s, const std::vector<float>& v, Generator& generator) {
  empty<double>(s, device);
  zeros<double>(s, device);
  ones<double>(s, device);
  full(s, 1, device);
  full<double>(s, 1, device);
  tensor(1.f, device);
  tensor({1.f}, device);
  tensor<double>({{1.f}}, device);
  tensor({{{1.f}}}, device);
  tensor({{{{1.f}}}}, device);
  arange<int>(2, device);
  arange<int>(0, 2, device);
  arange<int>(0, 2, 1, device);
  linspace<double>(0, 2, 3, device);
  eye<bool>(2, device);
  eye<bool>(2, 2, 0, device);
  from_span<float>(v, device);
  from_span<float>(v, s, device);
  rand<double>(s, device);
  rand<double>(s, device, generator);
  randn<double>(s, device);
  randn<double>(s, device, Generator(1));
  randint(0, 2, s, device);
  randint<int>(0, 2, s, device, generator);
  bernoulli(0.5, s, device);
  bernoulli<float>(0.5, s, device, generator);
  permutation(2, device);
  permutation(2, device, generator);
};
static_assert(MakesTensorsOn<Cpu> && MakesTensorsOn<Cuda<1>> && MakesTensorsOn<Guard>);
template <class Device>
concept AnythingOn = requires(Device d, Shape s) { ones<float>(s, d); } || requires(Device d) { tensor({{1.f}}, d); } ||
                     requires(Device d, Shape s, Generator g) { rand<float>(s, d, g); } ||
                     requires(Device d, Tensor<float> x) { x.to(d); } ||
                     requires(Device d, Tensor<float> x) { x.copy_to(d); } ||
                     requires(Device d, Tensor<float> x) { (x + 1).to(d); };
static_assert(AnythingOn<Cpu> && !AnythingOn<AnyDevice<Cuda<0>, Cpu>> && !AnythingOn<std::string>);

template <class A, class B>
concept Joins = requires(const A& a, const B& b) { concat(a, b, 1); } || requires(const A& a, const B& b) { stack(a, b); } ||
                requires(const A& a, const B& b) { concat(a, a, b, 1); } || requires(const A& a, const B& b) { stack(a, a, a, b); };
template <class A, class B>
concept Multiplies = requires(const A& a, const B& b) { matmul(a, b); } || requires(const A& a, const B& b) { dot(a, b); } ||
                     requires(const A& a, const B& b) { outer(a, b); };
template <class A, class I>
concept Indexes = requires(const A& a, const I& i) { take(a, i, 0); } || requires(const A& a, const I& i) { gather(a, 0, i); } ||
                  requires(const A& a, const I& i) { scatter(a, 0, i, a); } ||
                  requires(const A& a, const I& i) { scatter_add(a, 0, i, a); };
template <class A, class I, class S>
concept Scatters = requires(const A& a, const I& i, const S& s) { scatter(a, 0, i, s); } ||
                   requires(const A& a, const I& i, const S& s) { scatter_add(a, 0, i, s); };

template <class D, class Other>
void mixed_devices() {
  using A = Tensor<float, D>;
  using B = Tensor<float, Other>;
  using I = Tensor<int64_t, D>;
  static_assert(Joins<A, A> && Multiplies<A, A> && Indexes<A, I> && Scatters<A, I, A>);
  static_assert(!Joins<A, B> && !Joins<B, A>);
  static_assert(!Multiplies<A, B> && !Multiplies<B, A>);
  static_assert(!Indexes<B, I>);
  static_assert(!Scatters<A, I, B>);
}
template void mixed_devices<Cpu, Cuda<0>>();
template void mixed_devices<Cpu, Pinned>();
template void mixed_devices<Cuda<0>, Cuda<1>>();
template void mixed_devices<Cuda<1>, Pinned>();

using F = Tensor<float>;
static_assert(!Joins<F, Tensor<double>> && !Multiplies<F, Tensor<double>> && !Scatters<F, Tensor<int32_t>, Tensor<double>>);
static_assert(!Indexes<F, F> && !Indexes<F, Tensor<bool>>);          // an index is an integer
static_assert(!Multiplies<Tensor<bool>, Tensor<bool>>);              // truth values have no products

// Outside a template a `requires` that fails is an error, so these are asked of a type.
template <class T>
concept AddsByIndex = requires(const Tensor<T>& b, const Tensor<int32_t>& i) { scatter_add(b, 0, i, b); };
template <class T, class S>
concept TakesScalar = requires(S s) { full<T>({2}, s); } || requires(S s) { tensor<T>({s}); };
template <class T>
concept HasFractions = requires { linspace<T>(0, 1, 2); } || requires { rand<T>({2}); } || requires { randn<T>({2}); };
template <class G>
concept IsDrawnFrom = requires(G& g) { rand<float>({2}, g); } || requires(G& g) { permutation(2, Cpu{}, g); };
static_assert(AddsByIndex<int32_t> && !AddsByIndex<bool>);
static_assert(TakesScalar<float, double> && TakesScalar<float, int> && !TakesScalar<int32_t, double>);
static_assert(HasFractions<float16> && !HasFractions<int32_t> && !HasFractions<bool>);
static_assert(IsDrawnFrom<Generator> && !IsDrawnFrom<const Generator>);  // a draw changes the generator

}  // namespace static_operations
