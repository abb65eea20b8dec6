// SPDX-License-Identifier: Apache-2.0
// Contracts two factors of an Einstein sum into one: by a matrix product, or element by element.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/einsum/contraction_order.hpp>
#include <situ/einsum/factor.hpp>
#include <situ/einsum/subscripts.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/reshape.hpp>

namespace situ::internal::subscripts {

/// The labels of a set, each once: first in the order of the first list, then the rest in the order of the next.
template <class... Lists>
[[nodiscard]] LabelList in_order(LabelSet set, const Lists&... lists) noexcept {
  LabelList result;
  const auto add = [&](const LabelList& list) {
    for (int i = 0; i < list.count; ++i) {
      if ((set & bit(list[i])) != 0 && result.find(list[i]) == result.count) result.push_back(list[i]);
    }
  };
  (add(lists), ...);
  return result;
}
/// Concatenates lists.
template <class... Lists>
[[nodiscard]] LabelList joined(const Lists&... lists) noexcept {
  return in_order(~LabelSet{0}, lists...);
}

/// The labels of a set that a factor has, by descending stride: if any order can be merged without a copy, this one
/// can.
template <class X>
[[nodiscard]] LabelList by_stride(const Factor<X>& factor, LabelSet set) {
  LabelList result = in_order(set, factor.labels);
  for (int i = 1; i < result.count; ++i) {
    for (int j = i; j > 0 && factor.stride(result[j - 1]) < factor.stride(result[j]); --j) {
      std::swap(result.at[static_cast<std::size_t>(j - 1)], result.at[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

inline void append(Shape& shape, const LabelList& labels, const Extents& extents) {
  for (int i = 0; i < labels.count; ++i) shape.push_back(extents[static_cast<std::size_t>(labels[i])]);
}
[[nodiscard]] inline std::int64_t extent_of(const LabelList& labels, const Extents& extents) {
  Shape shape;
  append(shape, labels, extents);
  return shape.checked_count();
}

/// The axes of one factor that the other does not have: the rows of a product.
struct Rows {
  LabelList batch;   // batch axes of the product
  LabelList merged;  // merged into one axis
};
/// Axes that cannot be merged without a copy become batch axes, unless that makes the products so thin that the copy is
/// cheaper.
template <class X>
[[nodiscard]] Rows rows_of(const Factor<X>& factor, LabelSet set, const Extents& extents) {
  constexpr std::int64_t thin = 8;
  const LabelList all = by_stride(factor, set);
  int first = all.count - 1;
  std::int64_t extent = 1;
  for (; first >= 0; --first) {
    const auto inner = static_cast<std::size_t>(all[first]);
    extent = product_of_extents(extent, extents[inner], "einsum");
    if (first == 0 || factor.stride(all[first - 1]) != factor.stride(all[first]) * extents[inner]) break;
  }
  Rows rows;
  for (int i = 0; i < all.count; ++i) (i < first && extent >= thin ? rows.batch : rows.merged).push_back(all[i]);
  return rows;
}

/// `matmul`. Integers keep their type, also `int8`, as in NumPy's einsum.
template <class X>
[[nodiscard]] X product_of(const X& a, const X& b) {
  if constexpr (std::same_as<value_type_t<X>, int8_t>) return X(cast<int8_t>(matmul(a, b)));
  else return matmul(a, b);
}

/// Multiplies two factors along the labels that both have, and sums over the shared labels that are not `kept`. Labels
/// that only one factor has are all kept. The axes are in the order of `output` where that costs nothing.
template <class X>
[[nodiscard]] Factor<X> contract(Factor<X> a, Factor<X> b, LabelSet kept, const LabelList& output,
                                 const Extents& extents) {
  const LabelSet both = a.labels.set() & b.labels.set();
  for (int i = 0; i < output.count; ++i) {  // the factor with the first label of `output` gives the rows
    if ((both & bit(output[i])) != 0) continue;
    if (b.labels.find(output[i]) < b.labels.count) std::swap(a, b);
    if (a.labels.find(output[i]) < a.labels.count) break;
  }
  const LabelSet left = a.labels.set() & ~both;
  const LabelSet right = b.labels.set() & ~both;
  if (const int rank = std::popcount((both | left | right) & kept); rank > max_rank) {
    throw ShapeError("einsum: an intermediate result has " + std::to_string(rank) + " axes; at most " +
                     std::to_string(max_rank) + " are possible, so contract some operands first");
  }
  const LabelList batch = in_order(both & kept, output, a.labels);

  if ((both & ~kept) == 0 || (left | right) == 0) {
    const LabelList all = in_order(kept & (both | left | right), output, a.labels, b.labels);
    const LabelList with_summed = joined(all, in_order(both, a.labels));
    AxisList summed;
    for (int axis = all.count; axis < with_summed.count; ++axis) summed.push_back(axis);
    const X x = aligned(a, with_summed);
    const X y = aligned(b, with_summed);
    if (summed.count() == 0) return {X(x * y), all};
    return {sum_over<X>(x * y, summed), all};
  }

  const LabelList inner = by_stride(a.value.size() < b.value.size() ? b : a, both & ~kept);
  const Rows rows = rows_of(a, left, extents);
  const Rows columns = rows_of(b, right, extents);
  const std::int64_t m = extent_of(rows.merged, extents);
  const std::int64_t n = extent_of(columns.merged, extents);
  const std::int64_t k = extent_of(inner, extents);

  const LabelList a_order = joined(batch, rows.batch, rows.merged, inner);
  const LabelList b_order = joined(batch, columns.batch, inner, columns.merged);
  Shape a_shape;
  append(a_shape, batch, extents);
  Shape b_shape = a_shape;
  append(a_shape, rows.batch, extents);
  for (int i = 0; i < rows.batch.count; ++i) b_shape.push_back(1);
  for (int i = 0; i < columns.batch.count; ++i) a_shape.push_back(1);
  append(b_shape, columns.batch, extents);
  a_shape.push_back(m);
  a_shape.push_back(k);
  b_shape.push_back(k);
  b_shape.push_back(n);

  const LabelList labels = joined(batch, rows.batch, columns.batch, rows.merged, columns.merged);
  Shape shape;
  append(shape, labels, extents);
  return {reshape(product_of<X>(reshape(ordered(a, a_order), a_shape), reshape(ordered(b, b_order), b_shape)), shape),
          labels};
}

}  // namespace situ::internal::subscripts
