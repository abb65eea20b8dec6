// SPDX-License-Identifier: Apache-2.0
// One number as the source of `index_add`, `index_copy`, `index_put` and `scatter_reduce`, for all their indices.
// (`scatter` and `scatter_add` of a number are beside those functions.)
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>

#include <situ/expression/apply.hpp>
#include <situ/ops/coordinates.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/scatter_reduce.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// As with a tensor of rank 0: the number is added at every position of the list, as often as it is there. Throws
/// `ValueError` for a number that the element type of `x` cannot hold.
///
///     Tensor degrees = index_add(zeros<int>({vertices}), 0, ends, 1);
template <TensorLike X, class Indices, internal::NumberFor<X> S>
  requires internal::IndicesOn<Indices, device_t<X>> && internal::ScatterAdded<value_type_t<X>>
[[nodiscard]] applied_t<X> index_add(X&& x, std::int64_t axis, const Indices& indices, S source) {
  const auto number = internal::number_like<X>(source, "index_add");
  return index_add(std::forward<X>(x), axis, indices, number);
}

/// As with a tensor of rank 0: all parts at the positions of the list become the number.
///
///     Tensor y = index_copy(x, 1, tensor({0, 2}), 0.f);     // two columns of zeros
template <TensorLike X, class Indices, internal::NumberFor<X> S>
  requires internal::IndicesOn<Indices, device_t<X>>
[[nodiscard]] applied_t<X> index_copy(X&& x, std::int64_t axis, const Indices& indices, S source) {
  const auto number = internal::number_like<X>(source, "index_copy");
  return index_copy(std::forward<X>(x), axis, indices, number);
}

/// As with a tensor of rank 0: the number is written, or added, at all positions.
///
///     Tensor counts = index_put(zeros<int>({3, 3}), {truth, guess}, 1, Accumulate::yes);
template <TensorLike X, internal::NumberFor<X> S>
[[nodiscard]] applied_t<X> index_put(X&& x, std::initializer_list<internal::PositionList<device_t<X>>> lists, S value,
                                     Accumulate accumulate = Accumulate::no) {
  const auto number = internal::number_like<X>(value, "index_put");
  return index_put(std::forward<X>(x), lists, number, accumulate);
}
template <TensorLike X, internal::TensorRange Lists, internal::NumberFor<X> S>
  requires internal::IndicesOn<internal::item_t<Lists>, device_t<X>>
[[nodiscard]] applied_t<X> index_put(X&& x, const Lists& lists, S value, Accumulate accumulate = Accumulate::no) {
  const auto number = internal::number_like<X>(value, "index_put");
  return index_put(std::forward<X>(x), lists, number, accumulate);
}

/// As with a tensor of rank 0: the number is combined with the elements at all indices.
///
///     Tensor y = scatter_reduce<ScatterReduction::max>(x, 0, indices, 0.f);
template <ScatterReduction How, TensorLike X, class Indices, internal::NumberFor<X> S>
  requires internal::IndicesOn<Indices, device_t<X>> && NumberElement<value_type_t<X>>
[[nodiscard]] applied_t<X> scatter_reduce(X&& x, std::int64_t axis, const Indices& indices, S source,
                                          IncludeSelf self = IncludeSelf::yes) {
  const auto number = internal::number_like<X>(source, "scatter_reduce");
  return scatter_reduce<How>(std::forward<X>(x), axis, indices, number, self);
}

}  // namespace situ
