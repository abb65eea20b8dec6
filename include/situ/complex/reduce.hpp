// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of complex elements: `sum`, `mean`, `prod`, `cumsum` and `cumprod`. Sums add up the parts, which
// are an extra axis of real numbers, with every device's own kernels.
#pragma once

#include <cstdint>
#include <span>

#include <situ/complex/parts.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/reduction.hpp>
#include <situ/tensor/index.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::reduction {

/// A sum or a mean, `R`, over the axes in `reduced`. (Found by ADL in the namespace of the reduction.)
template <class R, ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> reduce_complex(const R& operation, const Tensor<T, D>& x, std::uint32_t reduced,
                                          KeepDims keep) {
  return view_as_complex(reduce_axes(operation, parts_of(x, R::name), reduced, keep));
}

/// The product: halves the rows of factors until one element of each is left.
template <ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> reduce_complex(const Prod&, const Tensor<T, D>& x, std::uint32_t reduced, KeepDims keep) {
  const Shape result = reduced_shape(x.shape(), reduced, keep);
  std::int64_t order[max_rank];  // the axes that are kept, then those reduced
  std::size_t next = 0;
  for (const bool goes : {false, true}) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (((reduced >> axis & 1U) != 0) == goes) order[next++] = axis;
    }
  }
  std::int64_t length = reduced_count(x.shape(), reduced);
  if (length == 0 || result.count() == 0) return ones<T>(result, D{});
  Tensor<T, D> rows = reshape(permute(x, std::span<const std::int64_t>(order, next)), {result.count(), length});
  while (length > 1) {
    const std::int64_t half = length / 2;
    Tensor<T, D> products = rows(all, range(0, half)) * rows(all, range(half, 2 * half));
    if (length % 2 != 0) products.at(all, range(0, 1)) *= rows(all, range(length - 1, length));
    rows = products;
    length = half;
  }
  return reshape(rows, result);
}

/// Running sums, of the parts.
template <ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> scan_complex(const Sum& operation, const Tensor<T, D>& x, int axis) {
  return view_as_complex(scanned(operation, parts_of(x, "cumsum"), axis));
}
/// Running products: each element is multiplied by those 1, 2, 4, ... before it.
template <ComplexElement T, Device D>
[[nodiscard]] Tensor<T, D> scan_complex(const Prod&, const Tensor<T, D>& x, int axis) {
  Tensor<T, D> products = contiguous(x);
  const std::int64_t extent = x.shape()[axis];
  const auto part = [&](std::int64_t from, std::int64_t to) {
    return Tensor<T, D>(products.storage(), sliced(products.layout(), axis, from, to));
  };
  for (std::int64_t step = 1; step < extent; step *= 2) {
    const Tensor<T, D> longer = part(step, extent) * part(0, extent - step);
    products = concat(part(0, step), longer, axis);
  }
  return products;
}

}  // namespace situ::internal::reduction
