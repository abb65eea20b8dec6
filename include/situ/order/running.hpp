// SPDX-License-Identifier: Apache-2.0
// Running maxima and minima along an axis: `cummax cummin`.
#pragma once

#include <cstdint>

#include <situ/core/shape.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/order/every_kernel.hpp>
#include <situ/plan/running_extremum.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct RunningExtremaHeader;
void is_included(const RunningExtremaHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// The result of `cummax` and `cummin`: values, and their positions along the axis.
template <TensorLike Values>
struct RunningExtremum {
  Values values;
  Tensor<std::int64_t, device_t<Values>> indices;
};

namespace internal {

/// The position of the last element so far that equals the extremum so far: the largest such position up to here.
template <bool Upwards, Element T, Device D>
[[nodiscard]] Tensor<std::int64_t, D> running_positions(const Tensor<T, D>& x, int axis) {
  const Tensor<T, D> best = scanned(reduction::RunningExtremum<Upwards>{}, x, axis);
  Shape along;
  for (int i = 0; i < x.rank(); ++i) along.push_back(i == axis ? x.extent(axis) : 1);
  const Tensor<std::int64_t, D> places = reshape(arange<std::int64_t>(x.extent(axis), D{}), along);
  constexpr std::int64_t none = 0;
  if constexpr (FloatingElement<T>) {
    return scanned(reduction::RunningExtremum<true>{}, where(x == best || x != x, places, none), axis);
  } else {
    return scanned(reduction::RunningExtremum<true>{}, where(x == best, places, none), axis);
  }
}

template <bool Upwards, TensorLike X>
[[nodiscard]] RunningExtremum<applied_t<X>> running_extremum(const X& x, std::int64_t axis, const char* name) {
  const applied_t<X> tensor = eval(x);
  const int a = normalize_axis(axis, tensor.shape().rank(), name);
  const Tensor<std::int64_t, device_t<X>> indices = running_positions<Upwards>(detach(tensor), a);
  return {gather(tensor, a, indices), indices};
}

}  // namespace internal

/// The largest element up to each one along an axis, and its position, the last one of equal ones, as in PyTorch; NaN
/// from the first NaN on. The gradient goes to the elements at these positions.
///
///     auto [values, indices] = cummax(tensor({1, 3, 2, 3}), 0);    // 1 3 3 3, 0 1 1 3
template <TensorLike X>
[[nodiscard]] RunningExtremum<applied_t<X>> cummax(const X& x, std::int64_t axis) {
  return internal::running_extremum<true>(x, axis, "cummax");
}

/// The smallest element up to each one along an axis, and its position; see `cummax`.
template <TensorLike X>
[[nodiscard]] RunningExtremum<applied_t<X>> cummin(const X& x, std::int64_t axis) {
  return internal::running_extremum<false>(x, axis, "cummin");
}

}  // namespace situ
