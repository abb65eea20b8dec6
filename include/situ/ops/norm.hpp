// SPDX-License-Identifier: Apache-2.0
// `norm`: vector norms of all elements, or along axes.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/operators.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::operation {

struct Norm2 : Reduction<reduction::Norm2> {
  static constexpr unsigned gradient_reads = reads::result | reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& y, const Tensor<T, D>& x) const {
    return x * quotient_or_zero(axes.kept(g, x.shape()), axes.kept(y, x.shape()));
  }
};

}  // namespace internal::operation

/// The Euclidean norm of floating elements, the square root of the sum of squares; accumulated in `double`. 0 if there
/// are no elements. The gradient of a norm of 0 is 0. Axes are in braces here, since a number is the order in NumPy and
/// PyTorch.
///
///     Tensor lengths = norm(x, {1});
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Norm2, How...>
[[nodiscard]] internal::along_t<internal::reduction::Norm2, X, How...> norm(
    X&& x, internal::axes_t<X, NormAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<internal::operation::Norm2, How...>(internal::reduction::Norm2{}, std::forward<X>(x), axes,
                                                               keep);
}

/// The order of a vector norm: 1, 2 or infinity.
struct NormOrder {
  double value = 2;

  constexpr NormOrder() = default;
  constexpr explicit NormOrder(double order) noexcept : value(order) {}
};

/// A vector norm: `NormOrder{1}` is the sum of magnitudes, `NormOrder{2}` the Euclidean norm, `NormOrder{INFINITY}` the
/// largest magnitude. Throws `ValueError` for another order.
///
///     Tensor lengths = norm(x, {1}, NormOrder{1});
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Norm2, How...>
[[nodiscard]] internal::along_t<internal::reduction::Norm2, X, How...> norm(X&& x,
                                                                            internal::axes_t<X, NormAxes, How...> axes,
                                                                            KeepDims keep, NormOrder order) {
  if constexpr (TensorLike<X> && sizeof...(How) == 0) {
    // here, so that errors name this call, and not the reduction that computes it
    const Shape& shape = x.shape();
    const std::uint32_t along = axes.of(shape, "norm");
    if (order.value == std::numeric_limits<double>::infinity() && internal::reduced_count(shape, along) == 0 &&
        internal::reduced_shape(shape, along, keep).count() > 0) {
      internal::fail_empty_reduction("norm", shape);
    }
  }
  if (order.value == 1)
    return sum<How...>(internal::make_map(internal::functional::Absolute{}, std::forward<X>(x)), axes, keep);
  if (order.value == std::numeric_limits<double>::infinity()) {
    return max<How...>(internal::make_map(internal::functional::Absolute{}, std::forward<X>(x)), axes, keep);
  }
  if (order.value == 2) return norm<How...>(std::forward<X>(x), axes, keep);
  throw ValueError("norm: order " + std::to_string(order.value) +
                   " is not 1, 2 or infinity; write sum(pow(abs(x), p))");
}
/// The same with the order after the axes.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Norm2, How...>
[[nodiscard]] internal::along_t<internal::reduction::Norm2, X, How...> norm(X&& x,
                                                                            internal::axes_t<X, NormAxes, How...> axes,
                                                                            NormOrder order) {
  return norm<How...>(std::forward<X>(x), axes, internal::AxesOf<How...>::keep, order);
}
/// The same over all axes.
template <auto... How, class X,
          std::same_as<NormOrder> Given>  // a template, so that braces, `norm(x, {1})`, are only axes
  requires internal::OperandAlong<X, internal::reduction::Norm2, How...>
[[nodiscard]] internal::along_t<internal::reduction::Norm2, X, How...> norm(X&& x, Given order) {
  return norm<How...>(std::forward<X>(x), {}, internal::AxesOf<How...>::keep, order);
}
template <class... Rest>
Tensor<float, Cpu> norm(operation_undefined_for_elements<internal::reduction::Norm2>::fix_call_cast, const Rest&...);

}  // namespace situ
