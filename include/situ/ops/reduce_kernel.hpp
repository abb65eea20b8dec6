// SPDX-License-Identifier: Apache-2.0
// Applying a reduction to axes of one tensor or expression, and what the gradients of reductions share.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <situ/device/device.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// Applies reduction `R` to the axes in `reduced`.
template <class R, class X>
[[nodiscard]] auto reduce_axes(const R& operation, X&& x, std::uint32_t reduced, KeepDims keep) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  using Out = typename R::template result<T>;
  if constexpr (ComplexElement<T>) {
    return reduce_complex(operation, Tensor<T, D>(no_grad(x)), reduced, keep);  // in situ/complex.hpp
  } else {
    const auto& operand = readable(x);
    using Read = std::remove_cvref_t<decltype(operand)>;
    const Shape& shape = operand.shape();
    const Shape result_shape = reduced_shape(shape, reduced, keep);
    if constexpr (!R::has_identity) {
      if (reduced_count(shape, reduced) == 0 && result_shape.count() > 0) fail_empty_reduction(R::name, shape);
    }
    Storage<D> storage = allocate_elements<Out, D>(result_shape);
    if (result_shape.count() > 0) {
      call_kernel<D, R, Reduces<backend_t<D>, R, T>>(
          [&](auto backend) {
            if constexpr (is_tensor<Read> && ReducesFew<backend_t<D>, R, T>) {
              if (reduce_few(backend, operation, operand.element_pointer(), shape, operand.layout().strides, reduced,
                             storage.data())) {
                return;
              }
            }
            const auto operands = operands_of(operand, shape);
            const auto program = lower(operand);
            reduce<T>(backend, operation, program, std::span<const program::Operand>(operands.data(), leaf_count<Read>),
                      shape, reduced, storage.data());
          },
          writes<Out>(storage), reads(operand));
    }
    return Tensor<Out, D>(std::move(storage), result_shape);
  }
}

/// The complex conjugates of the operands of gradients; real numbers, and shapes of operands that are not read,
/// unchanged.
template <class X>
[[nodiscard]] X conjugated(const X& x) {
  return x;
}
template <ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> conjugated(const Tensor<T, D>& x) {
  return make_map(functional::Conj{}, x);
}

/// The gradient of an operand of shape `operand` that was broadcast, from that of the broadcast shape: its sums, by one
/// reduction that reads the expression.
template <TensorLike E>
[[nodiscard]] tensor_of_t<E> sum_of_broadcast(const E& gradient, const Shape& operand) {
  return reshape(reduce_axes(reduction::Sum{}, gradient, broadcast_axes(operand, gradient.shape()), KeepDims::no),
                 operand);
}
/// The same; an expression that was not broadcast is evaluated.
template <TensorLike E>
[[nodiscard]] tensor_of_t<E> sum_to(const E& gradient, const Shape& operand) {
  if (gradient.shape() == operand) return eval(gradient);
  return sum_of_broadcast(gradient, operand);
}

/// Which axes a reduction covers, and whether they are kept.
struct ReducedAxes {
  std::uint32_t set;  // bit `i` for axis `i`
  KeepDims keep;

  ReducedAxes(const ReduceAxes& axes, KeepDims kept, const Shape& x, const char* operation)
      : set(axes.of(x, operation)), keep(kept == KeepDims::yes ? kept : axes.keep()) {}

  /// A result in the shape that broadcasts against the operand, of shape `x`.
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> kept(const Tensor<T, D>& result, const Shape& x) const {
    return reshape(result, reduced_shape(x, set, KeepDims::yes));
  }
  /// The same in the operand's shape, as a view.
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> expanded(const Tensor<T, D>& result, const Shape& x) const {
    return broadcast_to(kept(result, x), x);
  }
};

/// `a / b`, 0 where `b` is 0.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> quotient_or_zero(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  return where(b == T(0), T(0), a / b);
}

}  // namespace situ::internal
