// SPDX-License-Identifier: Apache-2.0
// Applying an operation: a struct of parameters with the formulas of the value and of its gradient.
//
//     struct Softmax {
//       std::int64_t axis;
//       template <FloatingTensor X> internal::tensor_of_t<X> operator()(const X& x) const;
//       static constexpr unsigned gradient_reads = reads::result;
//       auto gradient(const auto& g, const auto& y, const Shape& x) const;
//     };
//
// `gradient` returns the gradient of the operand from that of the result, `g`. Next come the result, if
// `gradient_reads` names it, and each operand: a tensor if it is named, otherwise its shape. What is not named is not
// kept. With several operands `gradient<At>` returns that of operand `At`, and reads `gradient_reads<At>`.
// Alternatives:
//
//     static constexpr bool shares_work = true;         // all gradients at once; unwanted ones stay empty
//     std::array<Tensor<T, D>, n> gradients(const std::array<bool, n>& wanted, g, ...) const;
//
//     static constexpr bool is_part = true;             // a view without repeated elements: the gradient is
//     Layout layout(const Layout&) const;               // written there
//
// and
//
//     Tensor<T, D> recorded(x...);                      // returns the value, and stores what the gradient needs
//     static constexpr bool reads_expressions = true;   // one operand, which may be an expression of variables, for
//                                                       // both value and gradient, and is not made a tensor
//
// (By name, since nvcc evaluates some `requires` of member templates to false.)
//
// An operation over any number of operands has `takes_any_number`, an `operator()` of a span of tensors, and
//
//     std::vector<Tensor<T, D>> gradients(g, std::span<const Shape> operands) const;
//
// So operations do not know the tape: `apply` passes recording operands to it.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include <situ/formula/functional/derivative.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// The type of evaluating `X`: a tensor.
template <TensorLike X>
using tensor_of_t = Tensor<value_type_t<X>, device_t<X>>;

/// Records operations whose result has elements `T` on `D`: `type` is the class of the result, and
/// `apply(operation, x...)` computes it. Defined in autograd/variable.hpp.
template <class T, class D>
struct Recording;

template <bool Records, class T, class D>
struct Applied {
  using type = Tensor<T, D>;
};
template <class T, class D>
struct Applied<true, T, D> {
  using type = typename Recording<T, D>::type;
};

}  // namespace internal

/// The result type of an operation on `X` and `More`, with the elements and device of `X`: a `Variable` if any of them
/// records gradients, otherwise a tensor.
template <TensorLike X, class... More>
using applied_t =
    typename internal::Applied<(Recorded<X> || ... || Recorded<More>), value_type_t<X>, device_t<X>>::type;

namespace internal {

/// The same with elements `T`.
template <Element T, TensorLike X>
using applied_as_t = typename Applied<Recorded<X>, T, device_t<X>>::type;

/// The value of an operation on tensors and expressions, recorded if one of them records; a `Result`. (Its type is
/// passed, not deduced: nvcc 13 crashes with a segmentation fault if one of these, instantiated to find its type,
/// contains another.)
template <class Result, class Operation, class X, class... More>
[[nodiscard]] Result apply_to(Operation operation, X&& x, More&&... more) {
  if constexpr ((Recorded<X> || ... || Recorded<More>)) {
    return Recording<value_type_t<X>, device_t<X>>::apply(std::move(operation), x, more...);
  } else {
    return operation(std::forward<X>(x), std::forward<More>(more)...);
  }
}
template <class Operation, class X, class... More>
[[nodiscard]] applied_t<X, More...> apply(Operation operation, X&& x, More&&... more) {
  return apply_to<applied_t<X, More...>>(std::move(operation), std::forward<X>(x), std::forward<More>(more)...);
}

/// The value of an operation on any number of tensors, or of variables.
template <class Operation, class X>
[[nodiscard]] X apply_to_all(const Operation& operation, std::span<const X> operands) {
  if constexpr (Recorded<X>) return Recording<value_type_t<X>, device_t<X>>::apply_to_all(operation, operands);
  else return operation(operands);
}

/// The operations, which have their names in compile errors.
namespace operation {

namespace reads = functional::reads;

}  // namespace operation

}  // namespace internal

}  // namespace situ
