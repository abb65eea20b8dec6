// SPDX-License-Identifier: Apache-2.0
// Several expressions evaluated together, in one pass over memory where the device can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include <situ/cpu/elementwise_each.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/lower.hpp>
#include <situ/expression/uses.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

/// Below this number of elements all operands are in a cache anyway.
inline constexpr std::int64_t fewest_evaluated_together = 32768;

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
using JointResult = program::Result<value_type_t<E>, decltype(lower<0>(std::declval<const E&>())),
                                 static_cast<std::size_t>(leaf_count<E>)>;

/// Whether the backend of `D` computes several results together.
template <class D, class... E>
concept EvaluatesTogether = requires(typename D::backend backend, const std::optional<JointResult<E>>&... results) {
  elementwise_each(backend, results...);
};

template <class E, Device D>
[[nodiscard]] std::optional<JointResult<E>> result_of(const std::optional<E>& expression,
                                                   const Tensor<value_type_t<E>, D>& into) {
  if (!expression) return std::nullopt;
  Storage<D> storage = into.storage();
  return JointResult<E>{lower<0>(*expression), operands_of(*expression, into.shape()),
                     destination<value_type_t<E>>(storage, into.layout())};
}

/// The values of those of several expressions that are there, all of one shape; what is not there stays an empty tensor.
template <class... E>
[[nodiscard]] auto evaluated_each(const std::optional<E>&... expressions) {
  using D = typename DeviceOf<E...>::type;
  std::tuple<Tensor<value_type_t<E>, D>...> values;
  int wanted = 0;
  Shape shape;
  const auto look = [&](const auto& expression) {
    if (!expression) return;
    ++wanted;
    shape = expression->shape();
  };
  (look(expressions), ...);
  const auto one_by_one = [&expressions...](auto&... value) {
    ((expressions ? static_cast<void>(value = evaluate(*expressions)) : static_cast<void>(0)), ...);
  };
  if constexpr (EvaluatesTogether<D, E...>) {
    if (wanted > 1 && shape.count() >= fewest_evaluated_together) {
      const auto allocate = [&shape]<class T>(bool there, Tensor<T, D>& value) {
        if (there) value = Tensor<T, D>(allocate_elements<T, D>(shape), Layout::row_major(shape));
      };
      std::apply(
          [&](auto&... value) {
            (allocate(expressions.has_value(), value), ...);
            on_backend<D>([&](auto backend) { elementwise_each(backend, result_of(expressions, value)...); },
                          uses_of(expressions, value.storage())...);
          },
          values);
      return values;
    }
  }
  std::apply(one_by_one, values);
  return values;
}

}  // namespace situ::internal
