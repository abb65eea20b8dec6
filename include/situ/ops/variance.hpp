// SPDX-License-Identifier: Apache-2.0
// `var stddev`. The standard deviation is not called `std`: a function of that name in this namespace would hide the
// standard library's.
#pragma once

#include <concepts>
#include <utility>

#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/as_elements.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/select.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// "Delta degrees of freedom": `var(x, 0, Ddof{1})` divides by n - 1.
struct Ddof {
  double value = 0;

  constexpr Ddof() = default;
  constexpr explicit Ddof(double degrees) noexcept : value(degrees) {}
};

namespace internal::operation {

/// x - mean(x), as `float` for 16-bit floats: the rounding error of a large mean is as large as the distances.
template <Element T, Device D>
[[nodiscard]] auto distance_to_mean(const Tensor<T, D>& x, const ReducedAxes& axes) {
  using C = compute_t<T>;
  const Tensor<C, D> center = reduce_axes(reduction::Mean{}, as_elements<C>(x), axes.set, KeepDims::yes);
  return as_elements<C>(x) - center;
}

struct Variance : Reduction<reduction::Variance> {
  static constexpr unsigned gradient_reads = reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& x) const {
    const double scale = 2.0 / (static_cast<double>(reduced_count(x.shape(), axes.set)) - kind.ddof);
    return as_elements<T>(distance_to_mean(x, axes) * (as_elements<compute_t<T>>(axes.kept(g, x.shape())) * scale));
  }
};

struct StandardDeviation : Reduction<reduction::StandardDeviation> {
  static constexpr unsigned gradient_reads = reads::result | reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& y, const Tensor<T, D>& x) const {
    const double scale = 1.0 / (static_cast<double>(reduced_count(x.shape(), axes.set)) - kind.ddof);
    const Tensor<T, D> factor = quotient_or_zero(axes.kept(g, x.shape()), axes.kept(y, x.shape()));
    return as_elements<T>(distance_to_mean(x, axes) * (as_elements<compute_t<T>>(factor) * scale));
  }
};

}  // namespace internal::operation

/// The variance of floating elements: the sum of the squared distances from the mean, divided by `n - ddof`. NaN if
/// there are no elements.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Variance, How...>
[[nodiscard]] internal::along_t<internal::reduction::Variance, X, How...> var(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep,
    Ddof ddof = {}) {
  return internal::reduced<internal::operation::Variance, How...>(internal::reduction::Variance{{}, ddof.value},
                                                                  std::forward<X>(x), axes, keep);
}
/// The same with `ddof` after the axes.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Variance, How...>
[[nodiscard]] internal::along_t<internal::reduction::Variance, X, How...> var(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes, Ddof ddof) {
  return var<How...>(std::forward<X>(x), axes, internal::AxesOf<How...>::keep, ddof);
}
/// The same over all axes.
template <auto... How, class X, std::same_as<Ddof> Given>  // a template, so that braces, `var(x, {1})`, are only axes
  requires internal::OperandAlong<X, internal::reduction::Variance, How...>
[[nodiscard]] internal::along_t<internal::reduction::Variance, X, How...> var(X&& x, Given ddof) {
  return var<How...>(std::forward<X>(x), {}, internal::AxesOf<How...>::keep, ddof);
}
template <class... Rest>
Tensor<float, Cpu> var(operation_undefined_for_elements<internal::reduction::Variance>::fix_call_cast, const Rest&...);

/// The square root of `var`: NumPy's `std`. The gradient of a deviation of 0 is 0.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::StandardDeviation, How...>
[[nodiscard]] internal::along_t<internal::reduction::StandardDeviation, X, How...> stddev(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep,
    Ddof ddof = {}) {
  return internal::reduced<internal::operation::StandardDeviation, How...>(
      internal::reduction::StandardDeviation{{{}, ddof.value}}, std::forward<X>(x), axes, keep);
}
/// The same with `ddof` after the axes.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::StandardDeviation, How...>
[[nodiscard]] internal::along_t<internal::reduction::StandardDeviation, X, How...> stddev(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes, Ddof ddof) {
  return stddev<How...>(std::forward<X>(x), axes, internal::AxesOf<How...>::keep, ddof);
}
/// The same over all axes.
template <auto... How, class X,
          std::same_as<Ddof> Given>  // a template, so that braces, `stddev(x, {1})`, are only axes
  requires internal::OperandAlong<X, internal::reduction::StandardDeviation, How...>
[[nodiscard]] internal::along_t<internal::reduction::StandardDeviation, X, How...> stddev(X&& x, Given ddof) {
  return stddev<How...>(std::forward<X>(x), {}, internal::AxesOf<How...>::keep, ddof);
}
template <class... Rest>
Tensor<float, Cpu> stddev(operation_undefined_for_elements<internal::reduction::StandardDeviation>::fix_call_cast,
                          const Rest&...);

}  // namespace situ
