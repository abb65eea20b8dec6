// SPDX-License-Identifier: Apache-2.0
// Several expressions of one shape evaluated together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/uses.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// What is written and read, for a device whose work is queued.
template <class E, Device D>
struct UsesOf {
  const std::optional<E>& expression;
  const Storage<D>& storage;

  template <class Backend>
  void announce(const Backend& backend) const {
    if (!expression) return;
    writes(storage).announce(backend);
    reads(*expression).announce(backend);
  }
};

/// Its arguments are deduced: nvcc takes the wrong one of a pack that is named in a lambda within a lambda.
template <class E, Device D>
[[nodiscard]] UsesOf<E, D> uses_of(const std::optional<E>& expression, const Storage<D>& storage) {
  return {expression, storage};
}

template <class E>
using JointResult = program::Result<value_type_t<E>, program_t<E>,
                                 static_cast<std::size_t>(leaf_count<E>)>;

template <class E, Device D>
[[nodiscard]] std::optional<JointResult<E>> result_of(const std::optional<E>& expression,
                                                   const Tensor<value_type_t<E>, D>& into) {
  if (!expression) return std::nullopt;
  Storage<D> storage = into.storage();
  return JointResult<E>{lower(*expression), operands_of(*expression, into.shape()),
                     destination<value_type_t<E>>(storage, into.layout())};
}

/// The values of those of several expressions that are there, all of one shape; what is not there stays an empty
/// tensor.
template <class... E>
[[nodiscard]] auto evaluated_each(const std::optional<E>&... expressions) {
  using D = typename DeviceOf<E...>::type;
  std::tuple<Tensor<value_type_t<E>, D>...> values;
  const auto begin = []<class T>(const auto& expression, Tensor<T, D>& value) {
    if (!expression) return;
    const Layout layout = Layout::row_major(expression->shape());
    value = Tensor<T, D>(allocate_elements<T, D>(layout.shape), layout);
  };
  std::apply([&](auto&... value) { (begin(expressions, value), ...); }, values);
  if ((... && (!expressions || expressions->shape().count() == 0))) return values;
  std::apply(
      [&](auto&... value) {
        call_kernel<D, kernels::Evaluate, (EvaluatesTogether<backend_t<D>, value_type_t<E>> && ...)>(
            [&](auto backend) { elementwise(backend, result_of(expressions, value)...); },
            uses_of(expressions, value.storage())...);
      },
      values);
  return values;
}

}  // namespace situ::internal
