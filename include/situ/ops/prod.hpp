// SPDX-License-Identifier: Apache-2.0
// `prod`, with its gradient, which needs running products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// For each element of a row the product of all others: by products from both ends, so that zeros do no harm.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> product_of_others(const Tensor<T, D>& rows) {
  const std::int64_t last = rows.shape()[1] - 1;
  const Tensor<T, D> one = ones<T>({rows.shape()[0], 1}, D{});
  const Tensor<T, D> before = cumprod(concat(one, rows(all, range(0, last)), 1), 1);
  const Tensor<T, D> behind = cumprod(concat(one, flip(rows, 1)(all, range(0, last)), 1), 1);
  return before * flip(behind, 1);
}

namespace operation {

struct Prod : Reduction<reduction::Prod> {
  static constexpr unsigned gradient_reads = reads::operand<0>;
  template <Element T, Device D>
  [[nodiscard]] Tensor<T, D> gradient(const Tensor<T, D>& g, const Tensor<T, D>& x) const {
    if (x.size() == 0) return x;
    std::int64_t order[max_rank];  // the axes that are kept, then those reduced
    std::int64_t inverse[max_rank];
    std::size_t next = 0;
    for (const bool goes : {false, true}) {
      for (int axis = 0; axis < x.rank(); ++axis) {
        if (((axes.set >> axis & 1U) != 0) == goes) order[next++] = axis;
      }
    }
    for (std::size_t i = 0; i != next; ++i) inverse[order[i]] = static_cast<std::int64_t>(i);
    const Tensor<T, D> ordered = permute(x, std::span<const std::int64_t>(order, next));
    const std::int64_t length = reduced_count(x.shape(), axes.set);
    const Tensor<T, D> rows = reshape(ordered, {x.size() / length, length});
    const Tensor<T, D> gradient = conjugated(product_of_others(rows)) * reshape(axes.kept(g, x.shape()), {-1, 1});
    return permute(reshape(gradient, ordered.shape()), std::span<const std::int64_t>(inverse, next));
  }
};

}  // namespace operation

}  // namespace internal

/// The product; `bool` and integers give `int64`, which wraps. 1 if there are no elements.
template <auto... How, class X>
  requires internal::OperandAlong<X, internal::reduction::Prod, How...>
[[nodiscard]] internal::along_t<internal::reduction::Prod, X, How...> prod(
    X&& x, internal::axes_t<X, ReduceAxes, How...> axes = {}, KeepDims keep = internal::AxesOf<How...>::keep) {
  return internal::reduced<internal::operation::Prod, How...>(internal::reduction::Prod{}, std::forward<X>(x), axes,
                                                              keep);
}

}  // namespace situ
