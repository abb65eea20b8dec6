// SPDX-License-Identifier: Apache-2.0
// Running sums and products of variables.
#pragma once

#include <cstdint>

#include <situ/autograd/elementwise.hpp>
#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>

namespace situ {

namespace autograd {

/// The sums of all elements from each one on along an axis.
template <TensorLike X>
[[nodiscard]] auto sums_from(const X& x, std::int64_t axis) {
  const int a = static_cast<int>(axis);
  return flip(cumsum(flip(x, a), axis), a);
}

/// The gradient of running products. Before the first zero of a row it is the sum of `g y` from there on, over x; at the
/// first zero, the same with a one in the place of that zero; behind it 0.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> cumprod_gradient(const Tensor<T, D>& x, const Tensor<T, D>& y, const Tensor<T, D>& g,
                                            std::int64_t axis) {
  const Tensor<std::int64_t, D> zeros_so_far = cumsum(cast<std::int64_t>(x == T(0)), axis);
  const Tensor<bool, D> first_zero = zeros_so_far == 1 && x == T(0);
  const Tensor<T, D> without = cumprod(where(first_zero, T(1), x), axis);
  const Tensor<T, D> at_zero = sums_from(g * without, axis);
  const Tensor<T, D> before_zero = sums_from(g * y, axis);
  return where(zeros_so_far == 0, before_zero / x, where(first_zero, at_zero, T(0)));
}

}  // namespace autograd

template <Recorded X>
[[nodiscard]] auto cumsum(const X& x, std::int64_t axis) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  return autograd::record(cumsum(in.value(), axis), autograd::nodes_of(in),
                          [axis, edge = in.edge()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            pass.add(edge, autograd::sums_from(g, axis));
                          });
}
template <Recorded X>
[[nodiscard]] auto cumsum(const X& x) {
  return cumsum(x, situ::internal::only_axis(x.shape(), "cumsum"));
}

template <Recorded X>
[[nodiscard]] auto cumprod(const X& x, std::int64_t axis) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const Tensor<T, D> y = cumprod(in.value(), axis);
  return autograd::record(y, autograd::nodes_of(in),
                          [=, edge = in.edge(), x = in.value()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            pass.add(edge, autograd::cumprod_gradient(x, y, g, axis));
                          });
}
template <Recorded X>
[[nodiscard]] auto cumprod(const X& x) {
  return cumprod(x, situ::internal::only_axis(x.shape(), "cumprod"));
}

}  // namespace situ
