// SPDX-License-Identifier: Apache-2.0
// Reductions over all axes, one or several: `sum prod mean var stddev min max argmin argmax any all norm`. Each reads a
// tensor or an expression of any device in one pass, without a temporary of its size, and gives a new tensor. Results
// do not depend on the number of threads.
//
// `all` is called through the object of that name in tensor/index.hpp. The standard deviation is `stddev`: a function
// `std` in this namespace would hide the standard library's.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/cpu/reduce/reduce.hpp>
#include <situ/cuda/kernels/reduce/reduce.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/lower.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/formula/functional/compare.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/plan/reduction.hpp>

namespace situ {

/// A tensor or expression whose elements reduction `R` takes.
template <class X, class R>
concept ReducibleBy = TensorLike<X> && R::template accepts<value_type_t<X>>;

namespace internal {

/// Applies reduction `R` to the axes in `reduced`.
template <class R, class X>
[[nodiscard]] auto reduce_axes(const R& operation, X&& x, std::uint32_t reduced, KeepDims keep) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  using Out = typename R::template result<T>;
  const auto& operand = readable(x);
  using Read = std::remove_cvref_t<decltype(operand)>;
  const Shape& shape = operand.shape();
  const Shape result_shape = reduced_shape(shape, reduced, keep);
  if constexpr (!R::has_identity) {
    if (reduced_count(shape, reduced) == 0 && result_shape.count() > 0) fail_empty_reduction(R::name, shape);
  }
  const Layout layout = Layout::row_major(result_shape);
  Storage<D> storage = allocate_elements<Out, D>(result_shape);
  if (result_shape.count() > 0) {
    const auto operands = operands_of(operand, shape);
    const auto program = lower<0>(operand);
    on_backend<D>(
        [&](auto backend) {
          reduce<T>(backend, operation, program, std::span<const program::Operand>(operands.data(), leaf_count<Read>),
                    shape, reduced, storage.data());
        },
        writes(storage), reads(operand));
  }
  return Tensor<Out, D>(std::move(storage), layout);
}

template <class R, class X>
[[nodiscard]] auto reduced(const R& operation, X&& x, const Axes& axes, KeepDims keep) {
  const std::uint32_t set = axes.of(x.shape(), R::name);
  return reduce_axes(operation, std::forward<X>(x), set, keep == KeepDims::yes ? keep : axes.keep());
}

}  // namespace internal

/// The sum; `bool` and integers give `int64`, which wraps. Of no elements: 0. Floats are added up in blocks of adjacent
/// elements and blocks in `double`, so that the sum of 10^8 floats 0.1f is right to 6 digits.
///
///     Tensor rows = sum(x, 1);
template <class X>
  requires ReducibleBy<X, internal::reduction::Sum>
[[nodiscard]] auto sum(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Sum{}, std::forward<X>(x), axes, keep);
}

/// The product; `bool` and integers give `int64`, which wraps. Of no elements: 1.
template <class X>
  requires ReducibleBy<X, internal::reduction::Prod>
[[nodiscard]] auto prod(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Prod{}, std::forward<X>(x), axes, keep);
}

/// The mean, of floating elements (`cast<float>(x)` first for others). Of no elements: NaN.
template <class X>
  requires ReducibleBy<X, internal::reduction::Mean>
[[nodiscard]] auto mean(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Mean{}, std::forward<X>(x), axes, keep);
}
// The guards, never defined: elements without a fraction.
template <class... Rest>
Tensor<float, Cpu> mean(operation_undefined_for_elements<internal::reduction::Mean>::fix_call_cast, const Rest&...);

/// "Delta degrees of freedom": `var(x, 0, Ddof{1})` divides by n - 1.
struct Ddof {
  double value = 0;
};

/// The variance of floating elements: the mean of the squared distances to the mean, divided by `n - ddof`. Of no
/// elements: NaN.
template <class X>
  requires ReducibleBy<X, internal::reduction::Variance>
[[nodiscard]] auto var(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no, Ddof ddof = {}) {
  return internal::reduced(internal::reduction::Variance{{}, ddof.value}, std::forward<X>(x), axes, keep);
}
template <class X>
  requires ReducibleBy<X, internal::reduction::Variance>
[[nodiscard]] auto var(X&& x, const Axes& axes, Ddof ddof) {
  return var(std::forward<X>(x), axes, KeepDims::no, ddof);
}
template <class X, std::same_as<Ddof> Given>  // a template, for which braces, `var(x, {1})`, are axes only
  requires ReducibleBy<X, internal::reduction::Variance>
[[nodiscard]] auto var(X&& x, Given ddof) {
  return var(std::forward<X>(x), Axes{}, KeepDims::no, ddof);
}
template <class... Rest>
Tensor<float, Cpu> var(operation_undefined_for_elements<internal::reduction::Variance>::fix_call_cast, const Rest&...);

/// The square root of `var`: NumPy's `std`.
template <class X>
  requires ReducibleBy<X, internal::reduction::StandardDeviation>
[[nodiscard]] auto stddev(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no, Ddof ddof = {}) {
  return internal::reduced(internal::reduction::StandardDeviation{{{}, ddof.value}}, std::forward<X>(x), axes, keep);
}
template <class X>
  requires ReducibleBy<X, internal::reduction::StandardDeviation>
[[nodiscard]] auto stddev(X&& x, const Axes& axes, Ddof ddof) {
  return stddev(std::forward<X>(x), axes, KeepDims::no, ddof);
}
template <class X, std::same_as<Ddof> Given>  // a template, for which braces, `stddev(x, {1})`, are axes only
  requires ReducibleBy<X, internal::reduction::StandardDeviation>
[[nodiscard]] auto stddev(X&& x, Given ddof) {
  return stddev(std::forward<X>(x), Axes{}, KeepDims::no, ddof);
}
template <class... Rest>
Tensor<float, Cpu> stddev(operation_undefined_for_elements<internal::reduction::StandardDeviation>::fix_call_cast,
                          const Rest&...);

/// The smallest element; NaN if any is NaN. Throws `ValueError` for no elements.
template <class X>
  requires ReducibleBy<X, internal::reduction::Min>
[[nodiscard]] auto min(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Min{}, std::forward<X>(x), axes, keep);
}

/// The largest element; NaN if any is NaN. Throws `ValueError` for no elements.
template <class X>
  requires ReducibleBy<X, internal::reduction::Max>
[[nodiscard]] auto max(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Max{}, std::forward<X>(x), axes, keep);
}

/// The position of the smallest element along an axis, as `int64`; without an axis, in row-major order of all elements.
/// The first NaN if there is one; of equal elements the first. Throws `ValueError` for no elements.
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMin>
[[nodiscard]] auto argmin(X&& x, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMin{}, std::forward<X>(x), Axes{}, keep);
}
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMin>
[[nodiscard]] auto argmin(X&& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMin{}, std::forward<X>(x), axis, keep);
}

/// The position of the largest element; see `argmin`.
///
///     Tensor digit = argmax(logits, 1);
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMax>
[[nodiscard]] auto argmax(X&& x, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMax{}, std::forward<X>(x), Axes{}, keep);
}
template <class X>
  requires ReducibleBy<X, internal::reduction::ArgMax>
[[nodiscard]] auto argmax(X&& x, std::int64_t axis, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::ArgMax{}, std::forward<X>(x), axis, keep);
}

namespace internal {

/// The truth of elements: of numbers, whether they are not 0 (NaN is not).
template <class X>
[[nodiscard]] decltype(auto) truth_of(X&& x) {
  if constexpr (std::same_as<value_type_t<X>, bool>) return std::forward<X>(x);
  else return make_map(functional::NotEqual{}, std::forward<X>(x), 0);
}

}  // namespace internal

/// Whether any element is true, or a number that is not 0. Of no elements: false.
template <class X>
  requires TensorLike<X>
[[nodiscard]] auto any(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Any{}, internal::truth_of(std::forward<X>(x)), axes, keep);
}

/// Whether all elements are true, or numbers that are not 0: `all(x)`, `all(x, 1)`. Of no elements: true.
template <class X>
  requires TensorLike<X>
[[nodiscard]] auto all(X&& x, const Axes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::All{}, internal::truth_of(std::forward<X>(x)), axes, keep);
}

/// The Euclidean norm of floating elements, the root of the sum of squares; accumulated in `double`. Of no elements: 0.
/// Axes stand in braces here, since a number is the order in NumPy and PyTorch.
///
///     Tensor lengths = norm(x, {1});
template <class X>
  requires ReducibleBy<X, internal::reduction::Norm2>
[[nodiscard]] auto norm(X&& x, const NormAxes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::reduced(internal::reduction::Norm2{}, std::forward<X>(x), axes, keep);
}

/// The order of a vector norm: 1, 2 or infinity.
struct Order {
  double value = 2;
};

/// A vector norm: `Order{1}` is the sum of magnitudes, `Order{2}` the Euclidean norm, `Order{INFINITY}` the largest
/// magnitude. Throws `ValueError` for another order.
///
///     Tensor lengths = norm(x, {1}, Order{1});
template <class X>
  requires ReducibleBy<X, internal::reduction::Norm2>
[[nodiscard]] auto norm(X&& x, const NormAxes& axes, KeepDims keep, Order order) {
  if (order.value == 1)
    return sum(internal::make_map(internal::functional::Absolute{}, std::forward<X>(x)), axes, keep);
  if (order.value == std::numeric_limits<double>::infinity()) {
    return max(internal::make_map(internal::functional::Absolute{}, std::forward<X>(x)), axes, keep);
  }
  if (order.value == 2) return norm(std::forward<X>(x), axes, keep);
  throw ValueError("norm: order " + std::to_string(order.value) +
                   " is not 1, 2 or infinity; write sum(pow(abs(x), p))");
}
template <class X>
  requires ReducibleBy<X, internal::reduction::Norm2>
[[nodiscard]] auto norm(X&& x, const NormAxes& axes, Order order) {
  return norm(std::forward<X>(x), axes, KeepDims::no, order);
}
template <class X, std::same_as<Order> Given>  // a template, for which braces, `norm(x, {1})`, are axes only
  requires ReducibleBy<X, internal::reduction::Norm2>
[[nodiscard]] auto norm(X&& x, Given order) {
  return norm(std::forward<X>(x), Axes{}, KeepDims::no, order);
}
template <class... Rest>
Tensor<float, Cpu> norm(operation_undefined_for_elements<internal::reduction::Norm2>::fix_call_cast, const Rest&...);

}  // namespace situ
