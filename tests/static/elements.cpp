// SPDX-License-Identifier: Apache-2.0
// Elements do not promote: what takes operands of one element type, and must be false, not an error, for every pair of
// others. One list, `Mixing`, for all ordered pairs and, as the positive twin, for each type with itself; then what the
// element types and scalars allow; then the same of the functions of functions.hpp.
#include <complex>
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include <situ/situ.hpp>

#include "../functions.hpp"

namespace static_elements {

using namespace situ;

// What is a complex element is known before situ/complex.hpp: it is not read in this file.
static_assert(Element<std::complex<float>> && ComplexElement<std::complex<double>>);
static_assert(!Element<std::complex<long double>> && !Element<std::complex<int>> && !Element<std::pair<float, float>>);
static_assert(!internal::element_is_read<std::complex<float>>, "read in this file: by which header?");

struct Join {
  template <class A, class B>
  A operator()(A a, B) const noexcept {
    return a;
  }
};

/// Every operation over elements `T` and elements `U` on one device is valid exactly when `same`.
template <Element T, Element U, Device D>
struct Mixing {
  static constexpr bool same = std::same_as<T, U>;
  using X = Tensor<T, D>;
  using Y = Tensor<U, D>;
  using YExpression = decltype(std::declval<Y&>() + std::declval<Y&>());

  static_assert(requires(X x, Y y) { (x * x) + y; } == same, "an expression on the left");
  static_assert(requires(X x, Y y) { x - (y * y); } == same, "an expression on the right");
  static_assert(requires(X x, Y y) { (x * x) == (y * y); } == same, "two expressions");
  static_assert(requires(X x, Y y) { x.at(0, all) + y; } == same, "a slot");
  static_assert(requires(X x, Y y) { x(0, all) * y(0, all); } == same, "views");
  static_assert(requires(X x, Y y) { matmul(x, y); } == same, "matmul");
  static_assert(requires(X x, Y y) { dot(x, y); } == same, "dot");
  static_assert(requires(X x, Y y) { outer(x, y); } == same, "outer");
  static_assert(requires(Tensor<bool, D> mask, X x, Y y) { where(mask, x, y); } == same, "where");
  static_assert(requires(X x, Y y) { where(x > 0, y, x); } == same, "where, the other way");
  static_assert(requires(X x, Y y) { clamp(x, y, y); } == same, "clamp: both limits");
  static_assert(requires(X x, Y y) { clamp(x, 0, y); } == same, "clamp: the upper limit");
  static_assert(requires(X x, Y y) { clamp(x, x, y); } == same, "clamp: the last operand");
  static_assert(requires(X x, Y y) { concat(x, y); } == same, "concat");
  static_assert(requires(X x, Y y) { concat(x, x, y); } == same, "concat, the third");
  static_assert(requires(X x, Y y) { stack(x, y); } == same, "stack");
  static_assert(requires(X x, Y y) { stack(x, x, y); } == same, "stack, the third");
  static_assert(requires(X x, Y y, Tensor<std::int64_t, D> index) { scatter(x, 0, index, y); } == same, "scatter");
  static_assert(requires(X x, Y y) { x += y; } == same, "+=");
  static_assert(requires(X x, Y y) { x -= y; } == same, "-=");
  static_assert(requires(X x, Y y) { x *= y; } == same, "*=");
  static_assert(requires(X x, Y y) { x %= y; } == same, "%=");
  static_assert(requires(X x, Y y) { x += y * y; } == same, "+= of an expression");
  static_assert(requires(X x, Y y) { x.at(0, all) += y; } == same, "+= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) -= y; } == same, "-= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) *= y; } == same, "*= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) %= y; } == same, "%= of a part");
  static_assert(requires(X x, Y y) { x = y; } == same, "=");
  static_assert(requires(X x, Y y) { x = y * y; } == same, "= of an expression");
  static_assert(requires(X x, Y y) { x.at(0, all) = y; } == same, "= of a part");
  static_assert(requires(X x, Y y) { x.at(0, all) = y * y; } == same, "= of a part and an expression");
  static_assert(requires(X x, Y y) { x.at(0, all) = y.at(0, all); } == same, "= of two parts");
  static_assert(std::is_constructible_v<X, Y&> == same, "construction");
  static_assert(std::is_constructible_v<X, YExpression> == same, "construction from an expression");
  static_assert(std::is_convertible_v<Y, X> == same, "conversion");
  static_assert(std::is_convertible_v<YExpression, X> == same, "conversion of an expression");
  static_assert(std::is_assignable_v<X&, Y&> == same, "assignability");
  static_assert(std::is_invocable_v<void (*)(X), Y&> == same, "a parameter");
  static_assert(std::is_invocable_v<void (*)(const X&), YExpression> == same, "a parameter by reference");
  static_assert(std::is_swappable_with_v<X&, Y&> == same, "swapping");
  static_assert(std::is_invocable_v<std::plus<>, X&, Y&> == same, "std::plus");
  static_assert(std::is_invocable_v<std::minus<>, X&, Y&> == same, "std::minus");
  static_assert(std::is_invocable_v<std::multiplies<>, X&, Y&> == same, "std::multiplies");
  static_assert(std::is_invocable_v<std::modulus<>, X&, Y&> == same, "std::modulus");
  static_assert(std::is_invocable_v<std::less<>, X&, Y&> == same, "std::less");
  static_assert(std::is_invocable_v<std::less_equal<>, X&, Y&> == same, "std::less_equal");
  static_assert(std::is_invocable_v<std::greater<>, X&, Y&> == same, "std::greater");
  static_assert(std::is_invocable_v<std::greater_equal<>, X&, Y&> == same, "std::greater_equal");
  static_assert(std::is_invocable_v<std::equal_to<>, X&, Y&> == same, "std::equal_to");
  static_assert(std::is_invocable_v<std::not_equal_to<>, X&, Y&> == same, "std::not_equal_to");
  // What takes mixed elements on purpose.
  static_assert(requires(X x, Y y) { cast<T>(y) + x; cast<U>(x) * y; }, "cast is the bridge");
  static_assert(requires(X x, Y y) { map(Join{}, x, y); }, "a functor of one's own takes what it takes");
};

template <Element T, Element U, Device D>
struct MixingFloats {
  static constexpr bool same = std::same_as<T, U>;
  using X = Tensor<T, D>;
  using Y = Tensor<U, D>;

  static_assert(requires(X x, Y y) { x /= y; } == same, "/=");
  static_assert(requires(X x, Y y) { x.at(0, all) /= y; } == same, "/= of a part");
  static_assert(requires(X x, Y y) { exp(x) - exp(y); } == same, "functions");
  static_assert(requires(X x, Y y) { mse_loss(x, y); } == same, "mse_loss");
  static_assert(requires(X x, Y y) { layer_norm(x, y, y); } == same, "layer_norm");
  static_assert(std::is_invocable_v<std::divides<>, X&, Y&> == same, "std::divides");
};

template <class D, class T, class... U>
struct Row : Mixing<T, U, D>... {};
template <class D, class... T>
struct AllPairs : Row<D, T, T...>... {};
template <class D, class T, class... U>
struct FloatRow : MixingFloats<T, U, D>... {};
template <class D, class... T>
struct AllFloatPairs : FloatRow<D, T, T...>... {};

/// What one element type allows.
template <Element T, Device D>
struct Alone {
  static constexpr bool floating = FloatingElement<T>;
  static constexpr bool integer = IntegerElement<T>;
  static constexpr bool number = NumberElement<T>;
  static constexpr bool truth = std::same_as<T, bool>;
  using X = Tensor<T, D>;

  // arithmetic
  static_assert(requires(X x) { x / 2; } == floating, "nor by a scalar");
  static_assert(requires(X x) { 2 / x; } == floating, "nor into one");
  static_assert(requires(X x) { x + 2; } == number, "+ and an integer");
  static_assert(requires(X x) { x - 2; } == number, "- and an integer");
  static_assert(requires(X x) { x * 2; } == number, "* and an integer");
  static_assert(requires(X x) { x % 2; } == number, "% and an integer");
  static_assert(requires(X x) { 2 - x; } == number, "an integer on the left");
  static_assert(requires(X x) { true + x; } == number, "bool counts beside numbers");
  static_assert(requires(X x) { x + 1.5; } == floating, "+ and a floating scalar");
  static_assert(requires(X x) { x - 1.5; } == floating, "- and a floating scalar");
  static_assert(requires(X x) { x * 1.5; } == floating, "* and a floating scalar");
  static_assert(requires(X x) { 1.5 * x; } == floating, "a floating scalar on the left");
  static_assert(requires(X x) { x > 0.5; } == floating, "a comparison with a floating scalar");
  static_assert(requires(X x) { x == 0.5; } == floating, "equality with a floating scalar");
  static_assert(requires(X x) { 0.5 == x; } == floating, "equality, the scalar first");
  static_assert(requires(X x) { x != 0.5; } == floating, "inequality with a floating scalar");
  static_assert(requires(X x) { x == 1; } == number, "equality with an integer");
  static_assert(requires(X x) { 1 == x; } == number, "equality with an integer first");
  static_assert(requires(X x) { x != 1; } == number, "inequality with an integer");
  static_assert(requires(X x) { x == true; }, "equality with bool");
  static_assert(requires(X x) { x += 2; } == number, "+= an integer");
  static_assert(requires(X x) { x += 1.5; } == floating, "+= a floating scalar");
  static_assert(requires(X x) { x.at(0, all) += 2; } == number, "+= of a part");
  static_assert(requires(X x) { x -= 2; } == number, "-= an integer");
  static_assert(requires(X x) { x -= 1.5; } == floating, "-= a floating scalar");
  static_assert(requires(X x) { x.at(0, all) -= 2; } == number, "-= of a part");
  static_assert(requires(X x) { x *= 2; } == number, "*= an integer");
  static_assert(requires(X x) { x *= 1.5; } == floating, "*= a floating scalar");
  static_assert(requires(X x) { x.at(0, all) *= 2; } == number, "*= of a part");
  static_assert(requires(X x) { x %= 2; } == number, "%= an integer");
  static_assert(requires(X x) { x %= 1.5; } == floating, "%= a floating scalar");
  static_assert(requires(X x) { x.at(0, all) %= 2; } == number, "%= of a part");
  static_assert(requires(X x) { x /= 2; } == floating, "/= a scalar");
  static_assert(requires(X x) { x /= x; } == floating, "/= a tensor");
  static_assert(requires(X x) { x.at(0, all) /= 2; } == floating, "/= of a part");
  static_assert(requires(X x) { x.at(0, all) = 2; } == number, "= of a part and an integer");
  static_assert(requires(X x) { x.at(0, all) = 1.5; } == floating, "= of a part and a floating scalar");
  static_assert(requires(X x) { x.at(0, all) = true; }, "= of a part and bool");
  // operations of floating elements
  static_assert(requires(X x) { softmax(x); } == floating, "softmax needs floating elements");
  static_assert(requires(X x) { log_softmax(x); } == floating, "log_softmax needs floating elements");
  static_assert(requires(X x) { mean(x); } == floating, "mean needs floating elements");
  static_assert(requires(X x) { var(x); } == floating, "var needs floating elements");
  static_assert(requires(X x) { stddev(x); } == floating, "stddev needs floating elements");
  static_assert(requires(X x) { exp(x + x); } == floating, "exp of an expression");
  // functions of numbers
  static_assert(requires(X x) { matmul(x, x); dot(x, x); outer(x, x); } == number, "products are of numbers");
  static_assert(requires(X x) { take(x, x, 0); } == integer, "indices are integers");
  static_assert(requires(X x) { gather(x, 0, x); } == integer, "indices of gather are integers");
  static_assert(requires(X x) { clamp(x, 0, 1); } == number, "clamp is of numbers");
  static_assert(requires(X x) { where(x, x, x); } == truth, "the mask is bool");
  static_assert(requires(X x, Tensor<bool, D> mask) { where(mask, x, x); }, "a choice of any elements");
  static_assert(requires(X x, Tensor<bool, D> mask) { where(mask, x, 0.5); } == floating,
                "a choice beside a floating scalar");
  static_assert(requires(Tensor<bool, D> mask) { where(mask, 0.f, 1.f); }, "two scalars have their element type");
  static_assert(!requires(Tensor<bool, D> mask) { where(mask, 0, 1.f); }, "two scalars of different types have none");
};

template <class D, class... T>
struct AllAlone : Alone<T, D>... {};

/// Of each row of the table of functions: whether it can be called is what its `elements` say, for one element type, and, with
/// two operands, for no pair of different ones.
template <class Row, Element T, Device D>
struct OfOne {
  static_assert(Row::template accepts<T> == std::is_invocable_v<decltype(Row::call), Tensor<T, D>&>);
  static_assert(Row::template accepts<T> == decltype(Row::functor)::template accepts<T>);
};
template <class Row, Element T, Element U, Device D>
struct OfTwo {
  static constexpr bool expected = Row::template accepts<T> && std::same_as<T, U>;
  static_assert(expected == std::is_invocable_v<decltype(Row::call), Tensor<T, D>&, Tensor<U, D>&>);
  static_assert(Row::template accepts<T> == decltype(Row::functor)::template accepts<T>);
};
template <class Row, class D, class T, class... U>
struct RowOfTwo : OfTwo<Row, T, U, D>... {};
template <Device D, Element... T>
void table_of_functions() {
  function_table::for_each_unary([]<class Row>(const Row&) { (static_cast<void>(OfOne<Row, T, D>()), ...); });
  function_table::for_each_binary([]<class Row>(const Row&) { (static_cast<void>(RowOfTwo<Row, D, T, T...>()), ...); });
}

template void table_of_functions<Cpu, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
template void table_of_functions<Cuda<1>, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>();
template struct AllPairs<Cpu, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>;
template struct AllPairs<Cuda<1>, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>;
template struct AllFloatPairs<Cpu, float16, bfloat16, float, double>;
template struct AllFloatPairs<Cuda<1>, float16, bfloat16, float, double>;
template struct AllAlone<Cpu, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>;
template struct AllAlone<Cuda<1>, bool, std::uint8_t, std::int32_t, std::int64_t, float16, bfloat16, float, double>;

}  // namespace static_elements
