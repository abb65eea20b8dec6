// SPDX-License-Identifier: Apache-2.0
// Poolings of variables.
#pragma once

#include <cstdint>
#include <utility>

#include <situ/autograd/pass.hpp>
#include <situ/autograd/variable.hpp>
#include <situ/ops/pooling.hpp>

namespace situ {

/// The gradient of each largest element goes where it was; of equal ones to the first.
template <FloatingTensor X>
  requires Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> max_pool2d(const X& x, Size2d kernel,
                                                               const MaxPool2dOptions& options = {}) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const auto plan = internal::plan_max_pool(in.shape(), kernel, options);
  Tensor<std::int32_t, D> positions;
  const Tensor<T, D> y = internal::max_pool(in.value(), plan, in.records() ? &positions : nullptr);
  return autograd::record(y, autograd::nodes_of(in),
                          [=, pooling = plan.pooling, edge = in.edge()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            pass.add(edge, situ::internal::max_pool_gradient(g, positions, edge.shape, pooling));
                          });
}

template <FloatingTensor X>
  requires Recorded<X>
[[nodiscard]] Variable<value_type_t<X>, device_t<X>> avg_pool2d(const X& x, Size2d kernel,
                                                               const AvgPool2dOptions& options = {}) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Variable<T, D> in = autograd::as_variable(x);
  const auto plan = internal::plan_average_pool(in.shape(), kernel, options);
  return autograd::record(internal::average_pool(in.value(), plan), autograd::nodes_of(in),
                          [pooling = plan.pooling, edge = in.edge()](autograd::Pass& pass, const Tensor<T, D>& g) {
                            pass.add(edge, situ::internal::average_pool_gradient(g, edge.shape, pooling));
                          });
}

}  // namespace situ
