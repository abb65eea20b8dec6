// SPDX-License-Identifier: Apache-2.0
// `masked_scatter`: writes the elements of a list, in order, where a mask is true.
#pragma once

#include <concepts>
#include <cstdint>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/plan/indices.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct MaskedScatter;
void is_included(const MaskedScatter*);  // see in_indexing.hpp
}  // namespace internal

/// A copy of `x` in which the elements of `source`, in row-major order, replace those where the mask is true, in that
/// order; surplus elements are not used. The mask broadcasts to the shape of `x`. Nothing waits: if the mask is true in
/// more places than `source` has elements, it throws `IndexError` at once on the CPU, with the next transfer to the
/// host on a GPU.
///
///     Tensor y = masked_scatter(x, x < 0, replacements);         // as many as are negative, or more
template <TensorLike X, TensorLike Mask, class S>
  requires std::same_as<value_type_t<Mask>, bool> && std::same_as<device_t<X>, device_t<Mask>> &&
           internal::SourceFor<S, X>
[[nodiscard]] applied_t<X, S> masked_scatter(const X& x, const Mask& mask, const S& source) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  using Positions = Tensor<std::int64_t, D>;
  const Shape shape = x.shape();
  const Tensor<bool, D> places = contiguous(broadcast_to(eval(mask), shape));
  if (shape.count() == 0) return eval(x);
  // The element after the last true one so far: where the mask is false any valid position does.
  const Positions seen = cumsum(reshape(places, Shape{shape.count()}), 0);
  if (source.shape().count() == 0) {  // no element may be true: only position 0 is valid
    const internal::operation::Take<Positions> none{seen, 0, internal::IndexedOperation::masked_scatter};
    return where(places, reshape(none(zeros<T>({1}, D{})), shape), x);
  }
  const Positions order = maximum(seen - 1, 0);
  const internal::operation::Take<Positions> taken{order, 0, internal::IndexedOperation::masked_scatter};
  return where(places, reshape(internal::apply(taken, flatten(source)), shape), x);
}
template <class D, class S>
on_device<D> masked_scatter(const on_device<D>&,
                            typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>, const S&);
template <class D, class S>
on_device<D> masked_scatter(const on_device<D>&, the_mask_is_not_bool::fix_compare_or_call_cast_bool, const S&);
template <class D>
on_device<D> masked_scatter(const on_device<D>&, const placed<bool, D>&,
                            typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);
template <class T, class D>
placed<T, D> masked_scatter(const placed<T, D>&, const placed<bool, D>&,
                            typename element_types_differ<T, D>::template fix_call_cast<T>);

}  // namespace situ
