// SPDX-License-Identifier: Apache-2.0
// Evaluates several expressions of one shape together.
#pragma once

#include <cstddef>
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

/// One of several optional expressions, and the destination of its value. (A separate type and functions: nvcc
/// selects the wrong element of a pack that is named in a lambda within a lambda.)
template <class E>
struct OneEvaluated {
  using T = value_type_t<E>;
  using D = device_t<E>;
  using Result = program::Result<T, program_t<E>, static_cast<std::size_t>(leaf_count<E>)>;

  const std::optional<E>& expression;
  Tensor<T, D> value{};

  explicit OneEvaluated(const std::optional<E>& wanted) : expression(wanted) {
    if (!expression) return;
    const Layout layout = Layout::row_major(expression->shape());
    value = Tensor<T, D>(allocate_elements<T, D>(layout.shape), layout);
  }

  [[nodiscard]] bool is_empty() const { return !expression || expression->shape().count() == 0; }
  [[nodiscard]] std::optional<Result> result() const {
    if (!expression) return std::nullopt;
    Storage<D> storage = value.storage();
    return Result{lower(*expression), operands_of(*expression, value.shape()), destination<T>(storage, value.layout())};
  }
  /// Its reads and writes, for a device with a queue.
  template <class Backend>
  void announce(const Backend& backend) const {
    if (!expression) return;
    writes(value.storage()).announce(backend);
    reads(*expression).announce(backend);
  }
  template <class Inspection>
  void inspect(Inspection& inspection) const {
    if (!expression) return;
    inspection.template writes<T>(value.storage());
    inspection.reads(*expression);
  }
};

template <class... E>
[[nodiscard]] auto evaluated_together(OneEvaluated<E>... parts) {
  using D = typename DeviceOf<E...>::type;
  if (!(... && parts.is_empty())) {
    call_kernel<D, kernels::Evaluate, (EvaluatesTogether<backend_t<D>, value_type_t<E>> && ...)>(
        [&](auto backend) { elementwise(backend, parts.result()...); }, parts...);
  }
  return std::tuple<Tensor<value_type_t<E>, D>...>(std::move(parts.value)...);
}

/// The values of several expressions of one shape; an empty optional gives an empty tensor.
template <class... E>
[[nodiscard]] auto evaluated_each(const std::optional<E>&... expressions) {
  return evaluated_together(OneEvaluated<E>(expressions)...);
}

}  // namespace situ::internal
