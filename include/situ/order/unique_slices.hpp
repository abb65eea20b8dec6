// SPDX-License-Identifier: Apache-2.0
// The distinct slices of a tensor along an axis, such as the rows of a matrix: `unique(x, 0)`.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/axes.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/sort.hpp>
#include <situ/ops/structure.hpp>
#include <situ/order/unique.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {

/// For each element of (n, m) its rank among the distinct values of its column, from 0. All NaN are one value, the last.
template <Element T, Device D>
[[nodiscard]] Tensor<std::int64_t, D> ranks_in_columns(const Tensor<T, D>& columns) {
  const std::int64_t rows = columns.extent(0);
  Tensor<std::int64_t, D> ranks = zeros<std::int64_t>(columns.shape(), D{});
  if (columns.size() == 0) return ranks;
  const Tensor<std::int64_t, D> order = argsort(columns, 0);
  const Tensor<T, D> sorted = gather(columns, 0, order);
  const Tensor<T, D> before = sorted(range(0, rows - 1)), after = sorted(range(1, rows));
  Tensor<std::int64_t, D> steps = zeros<std::int64_t>(columns.shape(), D{});
  if constexpr (FloatingElement<T>) steps.at(range(1, rows)) = cast<std::int64_t>(after != before && before == before);
  else steps.at(range(1, rows)) = cast<std::int64_t>(after != before);
  return scatter(std::move(ranks), 0, order, cumsum(steps, 0));
}

/// For each slice along the axis its rank among the distinct slices, in lexicographic order. Neighboring columns of
/// ranks become one column of ranks of pairs until one is left (as prefixes are doubled by Karp, Miller and Rosenberg,
/// "Rapid identification of repeated patterns in strings, trees and arrays", STOC 1972).
template <Element T, Device D>
[[nodiscard]] Tensor<std::int64_t, D> ranks_of_slices(const Tensor<T, D>& x, int axis) {
  const std::int64_t slices = x.extent(axis);
  std::int64_t width = 1;  // not the quotient of the sizes: there may be no slices
  for (int i = 0; i < x.rank(); ++i) width *= i == axis ? 1 : x.extent(i);
  if (slices == 0 || width == 0) return zeros<std::int64_t>({slices}, D{});
  Tensor<std::int64_t, D> ranks = ranks_in_columns<T, D>(reshape(moveaxis(x, axis, 0), {slices, width}));
  while (ranks.extent(1) > 1) {
    const std::int64_t columns = ranks.extent(1), end = columns - columns % 2;
    // Both are below `slices`, whose square fits: more than 2^31 slices would need 16 GiB for each column of ranks.
    const Tensor<std::int64_t, D> pairs = ranks(all, range(0, end, 2)) * slices + ranks(all, range(1, end, 2));
    const Tensor<std::int64_t, D> halved = ranks_in_columns<std::int64_t, D>(pairs);
    ranks = end == columns ? halved : concat(halved, ranks(all, range(end, columns)), 1);
  }
  return reshape(ranks, {slices});
}

/// What `unique_all(x, axis)` returns.
template <TensorLike X>
[[nodiscard]] UniqueAll<value_type_t<X>, device_t<X>> unique_slices(const X& x, std::int64_t axis, CallSite site) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Tensor<T, D> tensor = detach(x);
  const int a = normalize_axis(axis, tensor.rank(), "unique");
  const auto of_ranks = unique_parts(ranks_of_slices<T, D>(tensor, a), nullptr, site);
  return {take(tensor, of_ranks.indices, a), of_ranks.indices, of_ranks.inverse_indices, of_ranks.counts};
}

}  // namespace internal

/// The distinct slices along an axis, such as rows (0) or columns (1) of a matrix, in lexicographic order, as
/// `numpy.unique(x, axis=0)`. NaN are equal to each other here (in NumPy not), as in `unique(x)`. Of equal slices it
/// returns the one that occurs first. Takes a sort of each column and as much again for pairs of them. Waits once, for
/// the number of slices. Throws `IndexError` for an axis out of range.
///
///     unique(tensor({{1, 2}, {0, 5}, {1, 2}}), 0)    // {{0, 5}, {1, 2}}
template <TensorLike X, std::integral Axis>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> unique(const X& x, Axis axis, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique", site);
  return internal::unique_slices(x, axis, site).values;
}
/// The distinct slices, and how often each occurs.
template <TensorLike X, std::integral Axis>
[[nodiscard]] UniqueCounts<value_type_t<X>, device_t<X>> unique_counts(const X& x, Axis axis,
                                                                       CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique_counts", site);
  auto parts = internal::unique_slices(x, axis, site);
  return {std::move(parts.values), std::move(parts.counts)};
}
/// The distinct slices, and for each position along the axis which of them is there.
template <TensorLike X, std::integral Axis>
[[nodiscard]] UniqueInverse<value_type_t<X>, device_t<X>> unique_inverse(const X& x, Axis axis,
                                                                         CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique_inverse", site);
  auto parts = internal::unique_slices(x, axis, site);
  return {std::move(parts.values), std::move(parts.inverse_indices)};
}
/// All of these, and the position along the axis where each slice occurs first.
template <TensorLike X, std::integral Axis>
[[nodiscard]] UniqueAll<value_type_t<X>, device_t<X>> unique_all(const X& x, Axis axis,
                                                                 CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique_all", site);
  return internal::unique_slices(x, axis, site);
}

}  // namespace situ
