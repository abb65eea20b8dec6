// SPDX-License-Identifier: Apache-2.0
// Reductions over all axes, one or several: `sum mean min max argmin argmax any all`; `prod var stddev norm` have their
// own headers. Each reads a tensor or an expression of any device in one pass, without a temporary of its size, and
// returns a new tensor. Results do not depend on the number of threads.
//
// `all` is called through the object of that name in tensor/index.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/reduce_kernel.hpp>  // IWYU pragma: export
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/reduction.hpp>

namespace situ {

namespace internal {

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

/// Reduction `kind` of axes of `x`, as an operation with its gradient.
template <class Operation, auto... How, class R, class X>
[[nodiscard]] along_t<R, X, How...> reduced(const R& kind, X&& x, const ReduceAxes& axes, KeepDims keep) {
  if constexpr (TensorLike<X>) {
    return apply_to<along_t<R, X>>(Operation{{kind, ReducedAxes(axes, keep, x.shape(), R::name)}}, std::forward<X>(x));
  } else {
    return along<R, How...>(x, [&](const auto& part) { return reduced<Operation>(kind, part, axes, keep); });
  }
}
/// A reduction without a gradient; for variables it reduces their values.
template <auto... How, class R, class X>
[[nodiscard]] auto reduced(const R& kind, const X& x, const ReduceAxes& axes, KeepDims keep) {
  // Not in the lambda: nvcc 13 answers there that an expression records gradients, and compiles another kernel for the
  // GPU than the host launches.
  if constexpr (TensorLike<X>) {
    const operation::Reduction<R> operation{kind, ReducedAxes(axes, keep, x.shape(), R::name)};
    if constexpr (Recorded<X>) return operation(no_grad(x));
    else return operation(x);
  } else {
    return along<R, How...>(x, [&](const auto& part) { return reduced(kind, part, axes, keep); });
  }
}

}  // namespace internal

/// The sum; `bool` and integers give `int64`, which wraps. 0 if there are no elements. Floats are added up in blocks of
/// adjacent elements and blocks in `double`, so that the sum of 10^8 floats 0.1f is accurate to 6 digits.
///
///     Tensor rows = sum(x, 1);
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Sum, How...>
[[nodiscard]] internal::along_t<internal::reduction::Sum, X, How...> sum(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<internal::operation::Sum, How...>(internal::reduction::Sum{}, std::forward<X>(x), axes,
                                                             keep);
}

/// The mean, of floating elements (`cast<float>(x)` first for others). NaN if there are no elements.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Mean, How...>
[[nodiscard]] internal::along_t<internal::reduction::Mean, X, How...> mean(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<internal::operation::Mean, How...>(internal::reduction::Mean{}, std::forward<X>(x), axes,
                                                              keep);
}
// Guards, never defined: elements without a fraction.
template <class... Rest>
Tensor<float, Cpu> mean(operation_undefined_for_elements<internal::reduction::Mean>::fix_call_cast, const Rest&...);

/// The smallest element; NaN if any is NaN. Throws `ValueError` for no elements. Equal ones share the gradient.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Min, How...>
[[nodiscard]] internal::along_t<internal::reduction::Min, X, How...> min(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<internal::operation::Extreme<internal::reduction::Min>, How...>(
      internal::reduction::Min{}, std::forward<X>(x), axes, keep);
}

/// The largest element; NaN if any is NaN. Throws `ValueError` for no elements. Equal ones share the gradient.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Max, How...>
[[nodiscard]] internal::along_t<internal::reduction::Max, X, How...> max(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<internal::operation::Extreme<internal::reduction::Max>, How...>(
      internal::reduction::Max{}, std::forward<X>(x), axes, keep);
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
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::ArgMin, How...> && (internal::AxesOf<How...>::count <= 1)
[[nodiscard]] auto argmin(const X& x, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<How...>(internal::reduction::ArgMin{}, x, internal::AxesOf<How...>::axes(), keep);
}
template <TensorLike X>
  requires internal::OperandAlong<X, internal::reduction::ArgMin>
[[nodiscard]] auto argmin(const X& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMin{}, x, axis, keep);
}

/// The position of the largest element; see `argmin`.
///
///     Tensor digit = argmax(logits, 1);
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::ArgMax, How...> && (internal::AxesOf<How...>::count <= 1)
[[nodiscard]] auto argmax(const X& x, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<How...>(internal::reduction::ArgMax{}, x, internal::AxesOf<How...>::axes(), keep);
}
template <TensorLike X>
  requires internal::OperandAlong<X, internal::reduction::ArgMax>
[[nodiscard]] auto argmax(const X& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMax{}, x, axis, keep);
}

namespace internal {

namespace operation {
/// Reduction `R` of the truth values of any elements.
template <class R>
struct Truth : R {
  template <Element T>
  static constexpr bool accepts = true;
};
}  // namespace operation

/// The truth values of elements; for numbers, whether they are not 0 (NaN is not 0).
template <class X>
[[nodiscard]] decltype(auto) truth_of(X&& x) {
  if constexpr (std::same_as<value_type_t<X>, bool>) return std::forward<X>(x);
  else return make_map(functional::NotEqual{}, std::forward<X>(x), 0);
}

}  // namespace internal

/// Whether any element is true, or a number that is not 0. False if there are no elements.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::operation::Truth<internal::reduction::Any>, How...>
[[nodiscard]] auto any(const X& x, internal::axes_t<X, ReduceAxes, How...> axes = {},
                       KeepDims keep = internal::AxesOf<How...>::keep) {
  if constexpr (TensorLike<X>) {
    return internal::reduced(internal::reduction::Any{}, internal::truth_of(x), axes, keep);
  } else {
    return internal::along<internal::operation::Truth<internal::reduction::Any>, How...>(
        x, [&](const auto& part) { return any(part, axes, keep); });
  }
}

/// Whether all elements are true, or numbers that are not 0: `all(x)`, `all(x, 1)`. True if there are no elements.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::operation::Truth<internal::reduction::All>, How...>
[[nodiscard]] auto all(const X& x, internal::axes_t<X, ReduceAxes, How...> axes = {},
                       KeepDims keep = internal::AxesOf<How...>::keep) {
  if constexpr (TensorLike<X>) {
    return internal::reduced(internal::reduction::All{}, internal::truth_of(x), axes, keep);
  } else {
    return internal::along<internal::operation::Truth<internal::reduction::All>, How...>(
        x, [&](const auto& part) { return all(part, axes, keep); });
  }
}

}  // namespace situ
