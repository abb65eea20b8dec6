// SPDX-License-Identifier: Apache-2.0
// The algebra of layouts for matrix products: the pairs that each device can compute from its own parts. All other
// pairs do not compile; those that only the rank rules out throw `ShapeError`.
//
//     S<0> . R    -> S<0>          rows by a whole matrix
//     R    . S<1> -> S<1>          a whole matrix by columns
//     S<1> . S<0> -> P             columns by rows: each device has a term
//     S<k> . S<k> -> S<k>          batches, cut along an axis before the matrices
//     P . R, R . P -> P;  R . R -> R;  Local by Local or R -> Local
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <situ/core/broadcast.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/distributed/algebra.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/guards.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/linear.hpp>

namespace situ {

/// The elements that such a product needs are on different devices. A replicated operand can be cut to match the other,
/// which moves nothing.
template <class LeftLayout, class RightLayout>
struct a_product_needs_what_other_devices_have {
  struct fix_call_all_gather_for_one_of_them {};
  template <int Axis>
  struct fix_call_shard_for_the_left_one {};
  template <int Axis>
  struct fix_call_shard_for_the_right_one {};
};

namespace internal {

/// The rule for every product: it is linear in each operand.
template <class Left, class Right>
struct BilinearLayout {
  using type = Refused;
};
template <>
struct BilinearLayout<Replicated, Replicated> {
  using type = Replicated;
};
template <>
struct BilinearLayout<Partial<>, Replicated> {
  using type = Partial<>;
};
template <>
struct BilinearLayout<Replicated, Partial<>> {
  using type = Partial<>;
};
template <>
struct BilinearLayout<Local, Local> {
  using type = Local;
};
template <>
struct BilinearLayout<Local, Replicated> {
  using type = Local;
};
template <>
struct BilinearLayout<Replicated, Local> {
  using type = Local;
};

/// The layout of `matmul`.
template <class Left, class Right>
struct ProductLayout : BilinearLayout<Left, Right> {};
template <>
struct ProductLayout<Sharded<0>, Replicated> {
  using type = Sharded<0>;
};
template <>
struct ProductLayout<Replicated, Sharded<1>> {
  using type = Sharded<1>;
};
template <>
struct ProductLayout<Sharded<1>, Sharded<0>> {
  using type = Partial<>;
};
template <int Axis>
struct ProductLayout<Sharded<Axis>, Sharded<Axis>> {
  using type = Sharded<Axis>;
};

/// That of `dot`.
template <class Left, class Right>
struct DotLayout : BilinearLayout<Left, Right> {};
template <>
struct DotLayout<Sharded<0>, Sharded<0>> {
  using type = Partial<>;
};

/// That of `outer`.
template <class Left, class Right>
struct OuterLayout : BilinearLayout<Left, Right> {};
template <>
struct OuterLayout<Sharded<0>, Replicated> {
  using type = Sharded<0>;
};
template <>
struct OuterLayout<Replicated, Sharded<0>> {
  using type = Sharded<1>;
};

/// That of `linear`, whose weight is (out, in): cut along 0 a part has some of the outputs, along 1 some of the inputs.
template <class X, class Weight>
struct LinearLayout : BilinearLayout<X, Weight> {};
template <>
struct LinearLayout<Sharded<0>, Replicated> {
  using type = Sharded<0>;
};
template <>
struct LinearLayout<Replicated, Sharded<0>> {
  using type = Sharded<1>;
};
template <>
struct LinearLayout<Sharded<1>, Sharded<1>> {
  using type = Partial<>;
};

template <template <class, class> class Rule, class A, class B>
using layout_by = typename Rule<layout_t<A>, layout_t<B>>::type;

/// Spread values of one element type over one mesh, in layouts that can be multiplied.
template <template <class, class> class Rule, class A, class B>
concept SpreadFactors = SpreadLike<A> && SpreadLike<B> && SpreadOperands<A, B> && NumberElement<spread_element_t<A>> &&
                        SpreadLayout<layout_by<Rule, A, B>>;

template <class L, class R>
[[noreturn]] void fail_product(const char* operation, const Shape& a, const Shape& b, const char* rule) {
  throw ShapeError(std::string(operation) + ": shapes " + a.to_string() + " in layout " + LayoutFacts<L>::name() +
                   " and " + b.to_string() + " in layout " + LayoutFacts<R>::name() + ": " + rule);
}

/// Throws `ShapeError` for ranks that these layouts do not allow.
template <class L, class R>
void require_ranks_of_product(const Shape& a, const Shape& b) {
  if constexpr (is_sharded<L> && std::same_as<L, R>) {
    if (a.rank() != b.rank() || sharded_axis<L> >= a.rank() - 2) {
      fail_product<L, R>(
          "matmul", a, b,
          "two operands cut along the same axis must have the same rank, and the axis must come before the two of "
          "the matrices; to multiply matrices, cut the left one along 1 and the right one along 0 (reshard), or "
          "all_gather one of them");
    }
  } else if constexpr (std::same_as<L, Sharded<0>>) {
    if (a.rank() < 2 || b.rank() > 2) {
      fail_product<L, R>("matmul", a, b, "the left one must have rows, the right one be a matrix or a vector");
    }
  } else if constexpr (std::same_as<R, Sharded<1>>) {
    if (a.rank() != 2 || b.rank() != 2) {
      fail_product<L, R>("matmul", a, b,
                         "both must be matrices, so that the columns of the product are axis 1 (reshape)");
    }
  } else if constexpr (std::same_as<R, Sharded<0>>) {
    if (a.rank() != 2 || b.rank() > 2) {
      fail_product<L, R>("matmul", a, b, "the left one must be a matrix, the right one a matrix or a vector (reshape)");
    }
  }
}

/// The shape of `matmul`. Throws `ShapeError` for shapes that do not fit.
[[nodiscard]] inline Shape product_shape(const Shape& a, const Shape& b) {
  const std::string shapes = "matmul: shapes " + a.to_string() + " and " + b.to_string();
  if (a.rank() == 0 || b.rank() == 0) {
    throw ShapeError(shapes + ": an operand of rank 0 is not a matrix; write a * b for a scalar");
  }
  const std::int64_t inner = b.rank() == 1 ? b[0] : b[-2];
  if (a[-1] != inner) {
    throw ShapeError(shapes + " do not fit: the inner extents are " + std::to_string(a[-1]) + " and " +
                     std::to_string(inner) + "; they must be equal (transpose one operand, or reshape)");
  }
  Shape shape = broadcast_shapes(a.rank() > 2 ? batch_shape(a) : Shape{}, b.rank() > 2 ? batch_shape(b) : Shape{},
                                 "matmul (the axes before the last two)");
  if (a.rank() > 1) shape.push_back(a[-2]);
  if (b.rank() > 1) shape.push_back(b[-1]);
  return shape;
}

// Reasons of the guards: see guards.hpp.

template <class Operation>
concept ProductOfSpreads = std::same_as<Operation, operation::Matmul> || std::same_as<Operation, operation::Dot> ||
                           std::same_as<Operation, operation::Outer> || std::same_as<Operation, operation::Linear>;
template <ProductOfSpreads Operation>
struct LayoutMismatch<Operation, Partial<>, Partial<>> {
  using type = the_product_of_sums_is_not_the_sum_of_products::fix_call_all_reduce_first;
};
/// No reason, for `linear`: the third operand may be the one that does not fit.
struct NoMismatch {};
template <class Operation, class Left, class Right>
concept FitLinear =
    std::same_as<Operation, operation::Linear> && SpreadLayout<typename LinearLayout<Left, Right>::type>;
template <class Operation, class Left, class Right, class Fix>
using reason_unless_linear = std::conditional_t<FitLinear<Operation, Left, Right>, NoMismatch, std::type_identity<Fix>>;
template <class Left, class Right>
  requires(!is_sharded<Left> && !is_sharded<Right> && FitLinear<operation::Linear, Left, Right>)
struct LayoutMismatch<operation::Linear, Left, Right> {};

template <class Left, class Right>
using needs_gathering =
    typename a_product_needs_what_other_devices_have<Left, Right>::fix_call_all_gather_for_one_of_them;
template <ProductOfSpreads Operation, int Left, int Right>
struct LayoutMismatch<Operation, Sharded<Left>, Sharded<Right>>
    : reason_unless_linear<Operation, Sharded<Left>, Sharded<Right>, needs_gathering<Sharded<Left>, Sharded<Right>>> {};
/// Beside a whole operand: if the cut axis is the inner one of that operation, cut the whole operand along its own.
template <class Operation>
inline constexpr int inner_of_left = std::same_as<Operation, operation::Dot> ? 0 : 1;
template <class Operation>
inline constexpr int inner_of_right = std::same_as<Operation, operation::Linear> ? 1 : 0;
template <ProductOfSpreads Operation, int Axis>
struct LayoutMismatch<Operation, Sharded<Axis>, Replicated>
    : reason_unless_linear<
          Operation, Sharded<Axis>, Replicated,
          std::conditional_t<Axis == inner_of_left<Operation>,
                             typename a_product_needs_what_other_devices_have<Sharded<Axis>, Replicated>::
                                 template fix_call_shard_for_the_right_one<inner_of_right<Operation>>,
                             needs_gathering<Sharded<Axis>, Replicated>>> {};
template <ProductOfSpreads Operation, int Axis>
struct LayoutMismatch<Operation, Replicated, Sharded<Axis>>
    : reason_unless_linear<
          Operation, Replicated, Sharded<Axis>,
          std::conditional_t<Axis == inner_of_right<Operation>,
                             typename a_product_needs_what_other_devices_have<Replicated, Sharded<Axis>>::
                                 template fix_call_shard_for_the_left_one<inner_of_left<Operation>>,
                             needs_gathering<Replicated, Sharded<Axis>>>> {};
/// A number is not a matrix: these guards do not apply.
template <ProductOfSpreads Operation, class Left>
struct LayoutMismatch<Operation, Left, NoLayout> {};
template <ProductOfSpreads Operation, class Right>
struct LayoutMismatch<Operation, NoLayout, Right> {};

}  // namespace internal

}  // namespace situ
