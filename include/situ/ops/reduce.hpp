// SPDX-License-Identifier: Apache-2.0
// Reductions over all axes, one or several: `sum mean min max argmin argmax any all`; `prod var stddev norm` have their
// own headers. Each reads a tensor or an expression of any device in one pass, without a temporary of its size, and
// returns a new tensor. Results do not depend on the number of threads.
//
// `all` is called through the object of that name in tensor/index.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/reduction.hpp>

namespace situ {

namespace internal {

/// A tensor or expression with elements that reduction `R` accepts.
template <class X, class R>
concept ReducibleBy = TensorLike<X> && R::template accepts<value_type_t<X>>;

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

namespace operation {

/// Reduction `R` of some axes: the value.
template <class R>
struct Reduction {
  R kind;
  ReducedAxes axes;

  template <class X>
  [[nodiscard]] auto operator()(X&& x) const {
    return reduce_axes(kind, std::forward<X>(x), axes.set, axes.keep);
  }
};

struct Sum : Reduction<reduction::Sum> {
  static constexpr bool reads_expressions = true;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return axes.expanded(g, x);
  }
};

struct Mean : Reduction<reduction::Mean> {
  static constexpr bool reads_expressions = true;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& x) const {
    return axes.expanded(Tensor<T, D>(g * (1.0 / static_cast<double>(reduced_count(x, axes.set)))), x);
  }
};

/// The smallest or largest element: equal ones share the gradient. NaN count as equal, as the result is NaN if any is.
template <class R>
struct Extreme : Reduction<R> {
  static constexpr unsigned gradient_reads = reads::result | reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& result, const Tensor<T, D>& x) const {
    const Tensor<T, D> y = this->axes.kept(result, x.shape());
    const auto chosen = x == y || x != x;
    const Tensor<std::int64_t, D> count = reduce_axes(reduction::Sum{}, chosen, this->axes.set, KeepDims::yes);
    return where(chosen, this->axes.kept(g, x.shape()) / cast<T>(count), T(0));
  }
};

}  // namespace operation

/// The result type of reduction `R` of `X`.
template <class R, class X>
using reduced_t = applied_as_t<typename R::template result<value_type_t<X>>, X>;

/// Reduction `kind` of axes of `x`, as an operation with its gradient.
template <class Operation, class R, class X>
[[nodiscard]] reduced_t<R, X> reduced(const R& kind, X&& x, const ReduceAxes& axes, KeepDims keep) {
  return apply_to<reduced_t<R, X>>(Operation{{kind, ReducedAxes(axes, keep, x.shape(), R::name)}}, std::forward<X>(x));
}
/// A reduction without a gradient; for variables it reduces their values.
template <class R, class X>
[[nodiscard]] auto reduced(const R& kind, X&& x, const ReduceAxes& axes, KeepDims keep) {
  const operation::Reduction<R> operation{kind, ReducedAxes(axes, keep, x.shape(), R::name)};
  if constexpr (Recorded<X>) return operation(no_grad(x));
  else return operation(std::forward<X>(x));
}

}  // namespace internal

/// The sum; `bool` and integers give `int64`, which wraps. 0 if there are no elements. Floats are added up in blocks of
/// adjacent elements and blocks in `double`, so that the sum of 10^8 floats 0.1f is accurate to 6 digits.
///
///     Tensor rows = sum(x, 1);
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::Sum>
[[nodiscard]] internal::reduced_t<internal::reduction::Sum, X> sum(X&& x, const ReduceAxes& axes = {},
                                                                   KeepDims keep = KeepDims::no) {
  return internal::reduced<internal::operation::Sum>(internal::reduction::Sum{}, std::forward<X>(x), axes, keep);
}

/// The mean, of floating elements (`cast<float>(x)` first for others). NaN if there are no elements.
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::Mean>
[[nodiscard]] internal::reduced_t<internal::reduction::Mean, X> mean(X&& x, const ReduceAxes& axes = {},
                                                                     KeepDims keep = KeepDims::no) {
  return internal::reduced<internal::operation::Mean>(internal::reduction::Mean{}, std::forward<X>(x), axes, keep);
}
// Guards, never defined: elements without a fraction.
template <class... Rest>
Tensor<float, Cpu> mean(operation_undefined_for_elements<internal::reduction::Mean>::fix_call_cast, const Rest&...);

/// The smallest element; NaN if any is NaN. Throws `ValueError` for no elements. Equal ones share the gradient.
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::Min>
[[nodiscard]] internal::reduced_t<internal::reduction::Min, X> min(X&& x, const ReduceAxes& axes = {},
                                                                   KeepDims keep = KeepDims::no) {
  return internal::reduced<internal::operation::Extreme<internal::reduction::Min>>(internal::reduction::Min{},
                                                                                   std::forward<X>(x), axes, keep);
}

/// The largest element; NaN if any is NaN. Throws `ValueError` for no elements. Equal ones share the gradient.
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::Max>
[[nodiscard]] internal::reduced_t<internal::reduction::Max, X> max(X&& x, const ReduceAxes& axes = {},
                                                                   KeepDims keep = KeepDims::no) {
  return internal::reduced<internal::operation::Extreme<internal::reduction::Max>>(internal::reduction::Max{},
                                                                                   std::forward<X>(x), axes, keep);
}
// The guards of `min` and `max`, and of the positions below.
template <class... Rest>
Tensor<float, Cpu> min(complex_numbers_have_no_order::fix_call_real_or_abs, const Rest&...);
template <class... Rest>
Tensor<float, Cpu> max(complex_numbers_have_no_order::fix_call_real_or_abs, const Rest&...);
template <class... Rest>
Tensor<float, Cpu> argmin(complex_numbers_have_no_order::fix_call_real_or_abs, const Rest&...);
template <class... Rest>
Tensor<float, Cpu> argmax(complex_numbers_have_no_order::fix_call_real_or_abs, const Rest&...);

/// The position of the smallest element along an axis, as `int64`; without an axis, in row-major order of all elements.
/// The first NaN if there is one; of equal elements the first. Throws `ValueError` for no elements.
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::ArgMin>
[[nodiscard]] auto argmin(X&& x, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMin{}, std::forward<X>(x), ReduceAxes{}, keep);
}
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::ArgMin>
[[nodiscard]] auto argmin(X&& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMin{}, std::forward<X>(x), axis, keep);
}

/// The position of the largest element; see `argmin`.
///
///     Tensor digit = argmax(logits, 1);
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::ArgMax>
[[nodiscard]] auto argmax(X&& x, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMax{}, std::forward<X>(x), ReduceAxes{}, keep);
}
template <class X>
  requires internal::ReducibleBy<X, internal::reduction::ArgMax>
[[nodiscard]] auto argmax(X&& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMax{}, std::forward<X>(x), axis, keep);
}

namespace internal {

/// The truth values of elements; for numbers, whether they are not 0 (NaN is not 0).
template <class X>
[[nodiscard]] decltype(auto) truth_of(X&& x) {
  if constexpr (std::same_as<value_type_t<X>, bool>) return std::forward<X>(x);
  else return make_map(functional::NotEqual{}, std::forward<X>(x), 0);
}

}  // namespace internal

/// Whether any element is true, or a number that is not 0. False if there are no elements.
template <class X>
  requires TensorLike<X>
[[nodiscard]] auto any(X&& x, const ReduceAxes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Any{}, internal::truth_of(std::forward<X>(x)), axes, keep);
}

/// Whether all elements are true, or numbers that are not 0: `all(x)`, `all(x, 1)`. True if there are no elements.
template <class X>
  requires TensorLike<X>
[[nodiscard]] auto all(X&& x, const ReduceAxes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::All{}, internal::truth_of(std::forward<X>(x)), axes, keep);
}

}  // namespace situ
