// SPDX-License-Identifier: Apache-2.0
// `scatter_reduce` with a reduction that is known when the program runs.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/expression/apply.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/number_at_indices.hpp>
#include <situ/ops/scatter_reduce.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// `scatter_reduce<how>(x, axis, indices, source, self)` for a reduction that is chosen when the program runs. All five
/// are compiled; name it in angle brackets where it is known. Throws `ValueError` for any other value.
///
///     const ScatterReduction how = options.largest ? ScatterReduction::max : ScatterReduction::mean;
///     Tensor pooled = scatter_reduce(zeros({groups}), 0, group, height, how, IncludeSelf::no);
template <TensorLike X, class Indices, class S, std::same_as<ScatterReduction> How>
  requires internal::IndicesOn<Indices, device_t<X>> &&
           (internal::SourceFor<S, X> || internal::NumberFor<S, X>) && NumberElement<value_type_t<X>>
[[nodiscard]] auto scatter_reduce(X&& x, std::int64_t axis, const Indices& indices, const S& source, How how,
                                  IncludeSelf self = IncludeSelf::yes) {
  switch (how) {
    case ScatterReduction::sum:
      return scatter_reduce<ScatterReduction::sum>(std::forward<X>(x), axis, indices, source, self);
    case ScatterReduction::prod:
      return scatter_reduce<ScatterReduction::prod>(std::forward<X>(x), axis, indices, source, self);
    case ScatterReduction::min:
      return scatter_reduce<ScatterReduction::min>(std::forward<X>(x), axis, indices, source, self);
    case ScatterReduction::max:
      return scatter_reduce<ScatterReduction::max>(std::forward<X>(x), axis, indices, source, self);
    case ScatterReduction::mean:
      return scatter_reduce<ScatterReduction::mean>(std::forward<X>(x), axis, indices, source, self);
  }
  throw ValueError(
      "scatter_reduce: the reduction is none of sum, prod, min, max, mean; name one, ScatterReduction::max");
}

}  // namespace situ
