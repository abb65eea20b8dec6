// SPDX-License-Identifier: Apache-2.0
// The values of operations that write at indices, for any rule for several writes to one place: `scatter` and its
// family, whose gradients are in ops/gather.hpp and ops/scatter_reduce.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/every_kernel.hpp>
#include <situ/ops/select.hpp>
#include <situ/plan/indices.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal {

template <Element T, Device D>
[[nodiscard]] program::Operand operand(const Tensor<T, D>& tensor, const Strides& strides) {
  return {tensor.element_pointer(), sizeof(T), strides};
}

/// Checks the operands of `gather` and `scatter`: one rank, and extents that broadcast except along the axis.
inline void check_ranks(const Shape& x, const Shape& indices, const char* operation) {
  if (x.rank() != indices.rank()) {
    throw ShapeError(std::string(operation) + ": shape " + x.to_string() + " needs indices of the same rank, not " +
                     indices.to_string() + "; reshape the indices, or use take for one list of positions");
  }
}

namespace operation {

/// Base of operations that write at indices, by a rule of formula/scatter.hpp.
template <class Index, class Rule>
struct Scattered {
  Index index;
  int axis;
  IndexedOperation called;

  template <class X, class S>
  [[nodiscard]] tensor_of_t<X> operator()(X&& x, const S& source_like) const {
    using T = value_type_t<X>;
    using D = device_t<X>;
    if constexpr (Rule::accumulates && !std::same_as<T, compute_t<T>> && !HostDevice<D>) {
      // Rounded once, at the end. (A host widens only where that matters.)
      using C = compute_t<T>;
      const Tensor<C, D> added = cast<C>(source_like);  // before x moves: it may be x
      return cast<T>(Scattered{index, axis, called}(Tensor<C, D>(cast<C>(std::forward<X>(x))), added));
    } else {
      return written_over(std::forward<X>(x), source_like);
    }
  }

  /// The shape that is written: that of `x` with the axis as long as that of the indices.
  [[nodiscard]] Shape written(Shape x) const {
    x.set(axis, index.shape()[axis]);
    return x;
  }

 private:
  template <class X, class S>
  [[nodiscard]] tensor_of_t<X> written_over(X&& x, const S& source_like) const {
    using T = value_type_t<X>;
    using D = device_t<X>;
    const char* const name = operation_name(called);
    const Tensor source = eval(source_like);
    // after the others: they may be the same tensor as x, which this may move
    Tensor<T, D> result = eval(std::forward<X>(x));
    const Shape shape = written(result.shape());
    const Layout from = broadcast_layout(source.layout(), shape.checked(), name);
    const Layout at = broadcast_layout(index.layout(), shape, name);
    if (shape.count() == 0) return result;
    if (!result.storage().unique() || !result.storage().idle() || !result.layout().is_row_major())
      result = evaluate(result);
    Storage<D> storage = result.storage();
    call_kernel<D, kernels::Scatter, Scatters<backend_t<D>, Rule, T, value_type_t<Index>>>(
        [&](auto backend) {
          scatter_along<Rule, T, value_type_t<Index>>(backend, operand(source, from.strides),
                                                      operand(index, at.strides), shape[axis], called, axis,
                                                      destination<T>(storage, result.layout()));
        },
        writes<T>(storage), internal::reads(result), internal::reads(source), internal::reads(index));
    return result;
  }
};

}  // namespace operation

}  // namespace situ::internal
