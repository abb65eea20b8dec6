// SPDX-License-Identifier: Apache-2.0
// Placement is a type: what takes operands on one device, and must be false, not an error, for every pair of others. One
// list, `Mixing`, instantiated for all ordered pairs of devices and, as the positive twin, for each device with itself.
#include <concepts>
#include <functional>
#include <iostream>
#include <ranges>
#include <string>
#include <type_traits>

#include <situ/situ.hpp>

namespace {

using namespace situ;

/// A device the library does not know: host memory under another name, computed as the CPU computes.
struct Archive {
  using backend = Cpu::backend;
  static constexpr bool host_accessible = true;
  static std::string name() { return "archive"; }
  static void* allocate(std::size_t) { return nullptr; }
  static void deallocate(void*, std::size_t) noexcept {}
};
static_assert(HostDevice<Archive>);

struct Join {
  float operator()(float a, float b) const noexcept { return a + b; }
  float operator()(float a, float b, float c) const noexcept { return a + b + c; }
};

template <class X, class Y, class = void>
inline constexpr bool adds_by_void_t = false;
template <class X, class Y>
inline constexpr bool adds_by_void_t<X, Y, std::void_t<decltype(std::declval<X>() + std::declval<Y>())>> = true;
template <class X, class Y, class = void>
inline constexpr bool equals_by_void_t = false;
template <class X, class Y>
inline constexpr bool equals_by_void_t<X, Y, std::void_t<decltype(std::declval<X>() == std::declval<Y>())>> = true;
template <class X, class Y, class = void>
inline constexpr bool updates_by_void_t = false;
template <class X, class Y>
inline constexpr bool updates_by_void_t<X, Y, std::void_t<decltype(std::declval<X&>() += std::declval<Y>())>> = true;

/// Every operation over an operand on `A` and one on `B` is valid exactly when `same`.
template <Device A, Device B>
struct Mixing {
  static constexpr bool same = std::same_as<A, B>;
  using X = Tensor<float, A>;
  using Y = Tensor<float, B>;
  using XMask = Tensor<bool, A>;
  using YMask = Tensor<bool, B>;
  using YIndex = Tensor<std::int64_t, B>;
  using XExpression = decltype(std::declval<X&>() * std::declval<X&>());
  using YExpression = decltype(std::declval<Y&>() * std::declval<Y&>());

  // operators of two tensors
  static_assert(requires(X x, Y y) { x + y; } == same, "a sum is of one device");
  static_assert(requires(X x, Y y) { x - y; } == same, "a difference is of one device");
  static_assert(requires(X x, Y y) { x * y; } == same, "a product is of one device");
  static_assert(requires(X x, Y y) { x / y; } == same, "a quotient is of one device");
  static_assert(requires(X x, Y y) { x % y; } == same, "a remainder is of one device");
  static_assert(requires(X x, Y y) { x < y; } == same, "a comparison by < is of one device");
  static_assert(requires(X x, Y y) { x <= y; } == same, "a comparison by <= is of one device");
  static_assert(requires(X x, Y y) { x > y; } == same, "a comparison by > is of one device");
  static_assert(requires(X x, Y y) { x >= y; } == same, "a comparison by >= is of one device");
  static_assert(requires(X x, Y y) { x == y; } == same, "a comparison by == is of one device");
  static_assert(requires(X x, Y y) { x != y; } == same, "a comparison by != is of one device");
  static_assert(requires(XMask x, YMask y) { x & y; } == same, "bitwise and is of one device");
  static_assert(requires(XMask x, YMask y) { x | y; } == same, "bitwise or is of one device");
  static_assert(requires(XMask x, YMask y) { x ^ y; } == same, "bitwise xor is of one device");
  static_assert(requires(XMask x, YMask y) { x && y; } == same, "logical and is of one device");
  static_assert(requires(XMask x, YMask y) { x || y; } == same, "logical or is of one device");
  // operands that are expressions, temporaries, const, views
  static_assert(requires(X x, Y y) { (x * x) + y; } == same, "an expression on the left: still one device");
  static_assert(requires(X x, Y y) { x + (y * y); } == same, "an expression on the right: still one device");
  static_assert(requires(X x, Y y) { exp(x) - exp(y); } == same, "two expressions: still one device");
  static_assert(requires(X x, Y y) { exp(x) == y; } == same, "an expression compared: still one device");
  static_assert(requires(X x, Y y) { x != exp(y); } == same, "an expression compared for difference: still one device");
  static_assert(requires(X x, Y y) { x + y + x; } == same, "a chain: still one device");
  static_assert(requires(X x, Y y) { -x * y; } == same, "a negated operand: still one device");
  static_assert(requires(X x, Y y) { std::move(x) + std::move(y); } == same, "temporaries: still one device");
  static_assert(requires(X x, Y y) { std::as_const(x) * std::as_const(y); } == same,
                "const operands: still one device");
  static_assert(requires(X x, Y y) { x(0, all) / y(0, all); } == same, "views: still one device");
  static_assert(requires(X x, Y y) { x.at(0, all) + y; } == same, "a slot as an operand: still one device");
  static_assert(requires(X x, Y y) { x + y.at(0, all); } == same, "a slot on the right: still one device");
  // functions of two operands
  static_assert(requires(X x, Y y) { pow(x, y); } == same, "pow is of one device");
  static_assert(requires(X x, Y y) { atan2(x, y); } == same, "atan2 is of one device");
  static_assert(requires(X x, Y y) { minimum(x, y); } == same, "minimum is of one device");
  static_assert(requires(X x, Y y) { maximum(x, y); } == same, "maximum is of one device");
  static_assert(requires(X x, Y y) { hypot(x, y); } == same, "hypot is of one device");
  static_assert(requires(X x, Y y) { fmod(x, y); } == same, "fmod is of one device");
  static_assert(requires(X x, Y y) { floor_divide(x, y); } == same, "floor_divide is of one device");
  static_assert(requires(X x, Y y) { remainder(x, y); } == same, "remainder is of one device");
  static_assert(requires(X x, Y y) { matmul(x, y); } == same, "matmul is of one device");
  static_assert(requires(X x, Y y) { dot(x, y); } == same, "dot is of one device");
  static_assert(requires(X x, Y y) { outer(x, y); } == same, "outer is of one device");
  static_assert(requires(X x, Y y) { mse_loss(x, y); } == same, "mse_loss is of one device");
  // three and more operands: the one elsewhere in every place
  static_assert(requires(XMask mask, X x, Y y) { where(mask, x, y); } == same, "where: the second choice");
  static_assert(requires(XMask mask, X x, Y y) { where(mask, y, x); } == same, "where: the first choice");
  static_assert(requires(YMask mask, X x) { where(mask, x, x); } == same, "where: the mask");
  static_assert(requires(XMask mask, Y y) { where(mask, y, 1.f); } == same, "where: a choice beside a scalar");
  static_assert(requires(XMask mask, Y y) { where(mask, 1.f, y); } == same, "where: a scalar beside a choice");
  static_assert(requires(X x, Y y) { where(x > 0, y, y); } == same, "where: both choices");
  static_assert(requires(X x, Y y) { clamp(x, y, 1); } == same, "clamp: the lower limit");
  static_assert(requires(X x, Y y) { clamp(x, 0, y); } == same, "clamp: the upper limit");
  static_assert(requires(X x, Y y) { clamp(x, y, y); } == same, "clamp: both limits");
  static_assert(requires(X x, Y y) { clamp(x, x, y); } == same, "clamp: one of two tensors");
  static_assert(requires(X x, Y y) { map(Join{}, x, y); } == same, "map: the second operand");
  static_assert(requires(X x, Y y) { map(Join{}, x, x, y); } == same, "map: the third operand");
  static_assert(requires(X x, Y y) { map(Join{}, x, y, x); } == same, "map: the second of three");
  static_assert(requires(X x, Y y) { layer_norm(x, y, y); } == same, "layer_norm: both parameters");
  static_assert(requires(X x, Y y) { layer_norm(x, x, y); } == same, "layer_norm: the last parameter");
  // joining and indexing
  static_assert(requires(X x, Y y) { concat(x, y); } == same, "concat of two");
  static_assert(requires(X x, Y y) { concat(x, x, y); } == same, "concat of three, the last elsewhere");
  static_assert(requires(X x, Y y) { concat(x, y, x); } == same, "concat of three, the second elsewhere");
  static_assert(requires(X x, Y y) { stack(x, y); } == same, "stack of two");
  static_assert(requires(X x, Y y) { stack(x, x, y); } == same, "stack of three, the last elsewhere");
  static_assert(requires(X x, Y y) { stack(x, y, x); } == same, "stack of three, the second elsewhere");
  static_assert(requires(X x, YIndex index) { take(x, index, 0); } == same, "take: the indices");
  static_assert(requires(X x, YIndex index) { gather(x, 0, index); } == same, "gather: the indices");
  static_assert(requires(X x, YIndex index) { scatter(x, 0, index, x); } == same, "scatter: the indices");
  static_assert(requires(X x, Y y, YIndex index) { scatter(y, 0, index, x); } == same, "scatter: the source");
  static_assert(requires(X x, YIndex labels) { cross_entropy(x, labels); } == same, "cross_entropy: the labels");
  // compound assignment
  static_assert(requires(X x, Y y) { x += y; } == same, "+= of a tensor");
  static_assert(requires(X x, Y y) { x -= y; } == same, "-= of a tensor");
  static_assert(requires(X x, Y y) { x *= y; } == same, "*= of a tensor");
  static_assert(requires(X x, Y y) { x /= y; } == same, "/= of a tensor");
  static_assert(requires(X x, Y y) { x %= y; } == same, "%= of a tensor");
  static_assert(requires(X x, Y y) { x.at(0, all) += y; } == same, "+= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) -= y; } == same, "-= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) *= y; } == same, "*= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) /= y; } == same, "/= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) %= y; } == same, "%= of a part");
  static_assert(requires(X x, Y y) { x += y * y; } == same, "+= of an expression");
  static_assert(requires(X x, Y y) { x *= exp(y); } == same, "*= of a function");
  static_assert(requires(X x, Y y) { x.at(0, all) -= y * y; } == same, "-= of a part and an expression");
  // assignment
  static_assert(requires(X x, Y y) { x = y; } == same, "= of a tensor");
  static_assert(requires(X x, Y y) { x = y * y; } == same, "= of an expression");
  static_assert(requires(X x, Y y) { x = std::move(y); } == same, "= of a temporary");
  static_assert(requires(X x, Y y) { x = y(0, all); } == same, "= of a view");
  static_assert(requires(X x, Y y) { x.at(0, all) = y; } == same, "= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) = y * y; } == same, "= of a part and an expression");
  static_assert(requires(X x, Y y) { x.at(0, all) = y.at(0, all); } == same, "= of two parts");
  static_assert(std::is_assignable_v<X&, Y&> == same, "assignable from a tensor");
  static_assert(std::is_assignable_v<X&, Y> == same, "assignable from a temporary");
  static_assert(std::is_assignable_v<X&, YExpression> == same, "assignable from an expression");
  static_assert(std::is_assignable_v<Slot<float, A>&, Y&> == same, "a part assignable");
  static_assert(std::is_swappable_with_v<X&, Y&> == same, "swappable");
  // construction and passing
  static_assert(std::is_constructible_v<X, Y&> == same, "constructible");
  static_assert(std::is_constructible_v<X, const Y&> == same, "constructible from const");
  static_assert(std::is_constructible_v<X, Y> == same, "constructible from a temporary");
  static_assert(std::is_constructible_v<X, YExpression> == same, "constructible from an expression");
  static_assert(std::is_convertible_v<Y, X> == same, "convertible");
  static_assert(std::is_convertible_v<YExpression, X> == same, "an expression convertible");
  static_assert(std::is_invocable_v<void (*)(X), Y&> == same, "a parameter by value");
  static_assert(std::is_invocable_v<void (*)(const X&), Y&> == same, "a parameter by reference");
  static_assert(std::is_invocable_v<void (*)(const X&), YExpression> == same, "an expression as an argument");
  static_assert(std::is_invocable_r_v<X, Y (*)()> == same, "a returned value");
  static_assert(requires(X x, Y y) { true ? x : y; } == same, "the conditional operator");
  // the language's other ways of asking
  static_assert(std::is_invocable_v<std::plus<>, X&, Y&> == same, "std::plus");
  static_assert(std::is_invocable_v<std::minus<>, X&, Y&> == same, "std::minus");
  static_assert(std::is_invocable_v<std::multiplies<>, X&, Y&> == same, "std::multiplies");
  static_assert(std::is_invocable_v<std::divides<>, X&, Y&> == same, "std::divides");
  static_assert(std::is_invocable_v<std::modulus<>, X&, Y&> == same, "std::modulus");
  static_assert(std::is_invocable_v<std::less<>, X&, Y&> == same, "std::less");
  static_assert(std::is_invocable_v<std::less_equal<>, X&, Y&> == same, "std::less_equal");
  static_assert(std::is_invocable_v<std::greater<>, X&, Y&> == same, "std::greater");
  static_assert(std::is_invocable_v<std::greater_equal<>, X&, Y&> == same, "std::greater_equal");
  static_assert(std::is_invocable_v<std::equal_to<>, X&, Y&> == same, "std::equal_to");
  static_assert(std::is_invocable_v<std::not_equal_to<>, X&, Y&> == same, "std::not_equal_to");
  static_assert(std::is_invocable_v<std::logical_and<>, XMask&, YMask&> == same, "std::logical_and");
  static_assert(std::is_invocable_v<std::bit_xor<>, XMask&, YMask&> == same, "std::bit_xor");
  static_assert(adds_by_void_t<X&, Y&> == same, "void_t of a sum");
  static_assert(adds_by_void_t<XExpression, YExpression> == same, "void_t of a sum of expressions");
  static_assert(equals_by_void_t<X&, Y&> == same, "void_t of ==");
  static_assert(updates_by_void_t<X, Y&> == same, "void_t of +=");
};

template <class A, class... B>
struct Row : Mixing<A, B>... {};
template <class... D>
struct AllPairs : Row<D, D...>... {};

/// What the host may do with the elements of a tensor on `D`, exactly when its memory is the host's.
template <Device D>
struct HostReads {
  static constexpr bool reads = HostDevice<D>;
  using X = Tensor<float, D>;
  using Expression = decltype(std::declval<X&>() * std::declval<X&>());

  static_assert(requires(X x) { x.data(); } == reads, "a pointer to the elements");
  static_assert(requires(X x) { x.span(); } == reads, "a span of the elements");
  static_assert(requires(X x) { x.item(); } == reads, "the only element");
  static_assert(requires(X x) { x(0); } == reads, "an element of a vector");
  static_assert(requires(X x) { x(0, 1); } == reads, "an element of a matrix");
  static_assert(requires(X x) { x(-1, 2, 3); } == reads, "an element of rank 3");
  static_assert(requires(X x) { x.at(0, 1) = 1.f; } == reads, "writing an element");
  static_assert(requires(X x) { x.at(0) += 1.f; } == reads, "updating an element");
  static_assert(requires(X x) { std::ranges::begin(x); } == reads, "the begin of a range");
  static_assert(requires(X x) { std::cout << x; } == reads, "printing to a stream");
  static_assert(requires(X x) { std::cout << (x * x); } == reads, "printing an expression");
  static_assert(requires(X x) { to_string(x); } == reads, "printing to a string");
  static_assert(requires(Lease<float, D>& write) { write.span(); } == reads, "a span of a lease");
  static_assert(requires(Lease<float, D>& write) { write.begin(); } == reads, "iterating over a lease");
  static_assert(std::ranges::range<X&> == reads, "a range");
  // What reads nothing on the host is there for every device.
  static_assert(requires(X x) { x.shape(); x.rank(); x.size(); x.extent(0); x.stride(0); x.layout(); }, "the shape");
  static_assert(requires(X x) { x(0, all); x(all, range(0, 2)); x(newaxis, all); }, "views");
  static_assert(requires(X x) { x.at(0, all) = 1.f; x.at(0, all) += x; }, "writing a part");
  static_assert(requires(X x) { x.to(Cpu{}); x.copy_to(Cpu{}); x.template to<Pinned>(); (x * x).to(Cpu{}); }, "moving");
  static_assert(requires(X x) { print(x); }, "print copies, and says so");
  // Temporaries give no pointer; writing to a temporary view would be lost.
  static_assert(!requires(X x) { x(0, all).data(); }, "a pointer into a temporary view");
  static_assert(!requires(X x) { x(0, all).span(); }, "a span of a temporary view");
  static_assert(!requires(X x) { x(0, all).begin(); }, "an iterator into a temporary view");
  static_assert(!requires(X x) { std::move(x).data(); }, "a pointer into a moved tensor");
  static_assert(!requires(X x) { x(0, all) = 1.f; }, "= of a temporary view and a scalar");
  static_assert(!requires(X x) { x(0, all) = x; }, "= of a temporary view");
  static_assert(!requires(X x) { x(0, all) += 1; }, "+= of a temporary view");
  static_assert(!requires(X x) { x(0, all) -= 1; }, "-= of a temporary view");
  static_assert(!requires(X x) { x(0, all) *= 1; }, "*= of a temporary view");
  static_assert(!requires(X x) { x(0, all) /= 1; }, "/= of a temporary view");
  static_assert(!requires(X x) { x(0, all) %= 1; }, "%= of a temporary view");
  static_assert(!requires(X x) { (x * x) += 1; }, "+= of an expression");
  static_assert(!requires(const X x) { x += 1; }, "+= of a const tensor");
  static_assert(!requires(X x) { x = 1.f; }, "= of a scalar");
  static_assert(!std::is_constructible_v<X, float> && !std::is_convertible_v<int, X>, "a scalar is no tensor");
  static_assert(!std::is_copy_constructible_v<Lease<float, D>> && !std::is_move_constructible_v<Lease<float, D>>, "a lease stays");
  static_assert(!requires(X x, Lease<float, D>& write) { x + write; }, "a lease is no operand");
  static_assert(!requires(Lease<float, D>& write) { write(0, 1); }, "a lease is no tensor");
};

template <class... D>
struct AllHostReads : HostReads<D>... {};

template struct AllPairs<Cpu, Pinned, Cuda<0>, Cuda<1>, Archive>;
template struct AllHostReads<Cpu, Pinned, Cuda<0>, Cuda<1>, Archive>;

}  // namespace
