// SPDX-License-Identifier: Apache-2.0
// Order statistics: `quantile median kthvalue`, with gradients.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reduce_axes.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/sort.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/order/every_kernel.hpp>
#include <situ/plan/kernels.hpp>
#include <situ/plan/program.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct QuantilesHeader;
void is_included(const QuantilesHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// The result of `kthvalue`: values, and their positions along the axis.
template <TensorLike Values>
struct KthValue {
  Values values;
  Tensor<std::int64_t, device_t<Values>> indices;
};

namespace internal {

namespace operation {

/// Names the operation in errors.
struct Quantile {
  template <Element T>
  static constexpr bool accepts = FloatingElement<T>;
};

}  // namespace operation

/// The position of a quantile among sorted elements: `part` of the way between two of them.
struct QuantilePlace {
  std::int64_t below;
  std::int64_t above;  // equal to `below` at an integer place: the next may be infinite, and 0 times it is NaN
  double part;

  /// Throws `ValueError` for a number outside [0, 1].
  QuantilePlace(double q, std::int64_t count) {
    if (!(q >= 0 && q <= 1)) {
      throw ValueError("quantile: " + number_text(q) + " is not in [0, 1]; the median is at 0.5");
    }
    const double place = q * static_cast<double>(count - 1);
    below = static_cast<std::int64_t>(std::floor(place));
    above = static_cast<std::int64_t>(std::ceil(place));
    part = place - std::floor(place);
  }
};

/// Moves the elements of some axes into lines along the last axis, after the axes that are kept.
template <TensorLike X>
[[nodiscard]] applied_t<X> lines_along(const X& x, std::uint32_t axes) {
  const Shape shape = x.shape();
  std::array<std::int64_t, max_rank> order{};
  int rank = 0;
  Shape lines = reduced_shape(shape, axes, KeepDims::no);
  lines.push_back(reduced_count(shape, axes));
  for (const bool reduced : {false, true}) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if ((axes >> axis & 1U) == (reduced ? 1U : 0U)) order[static_cast<std::size_t>(rank++)] = axis;
    }
  }
  const std::span<const std::int64_t> axes_in_order(order.data(), static_cast<std::size_t>(rank));
  return reshape(permute(eval(x), axes_in_order), lines.checked());
}

/// Whether a backend finds elements by their rank without sorting.
template <class D, class T>
inline constexpr bool selects_rank = HostDevice<D> && SelectsRank<backend_t<D>, T>;

/// Positions along an axis of the elements of rank `rank`, and with `places` 3 of the next and the last ones.
template <Element T, Device D>
[[nodiscard]] Tensor<std::int64_t, D> positions_of_rank(const Tensor<T, D>& x, int axis, std::int64_t rank,
                                                        std::int64_t places) {
  Shape shape = x.shape();
  shape.set(axis, places);
  Storage<D> storage = allocate_elements<std::int64_t, D>(shape.checked());
  const Layout layout = Layout::row_major(shape);
  if (shape.count() > 0) {
    call_kernel<D, kernels::TopK, SelectsRank<backend_t<D>, T>>(
        [&](auto backend) {
          order_statistics<T>(backend, operand(x, x.layout().strides), x.shape()[axis], axis, rank,
                              destination<std::int64_t>(storage, layout));
        },
        writes<std::int64_t>(storage), internal::reads(x));
  }
  return Tensor<std::int64_t, D>(std::move(storage), layout);
}

/// The quantile at one place of sorted lines, with extent 1 along the last axis; NaN for a line that ends with NaN.
template <class X>
[[nodiscard]] applied_t<X> quantile_of_lines(const X& sorted, const QuantilePlace& place) {
  using T = value_type_t<X>;
  using C = compute_t<T>;
  const auto number = [](double value) { return static_cast<C>(value); };
  const Tensor<T, device_t<X>> last = narrow(detach(sorted), -1, sorted.shape()[-1] - 1, 1);
  const applied_t<X> below = narrow(sorted, -1, place.below, 1);
  if (place.above == place.below) return where(last == last, below, last);
  const applied_t<X> above = narrow(sorted, -1, place.above, 1);
  // The sum or the difference of two huge elements may be infinite although the quantile is not: then each is
  // multiplied by its part first, which loses nothing so far from the smallest numbers.
  using Mask = Tensor<bool, device_t<X>>;
  const auto low = cast<C>(detach(below)), high = cast<C>(detach(above));
  const auto parts = cast<C>(below) * number(1 - place.part) + cast<C>(above) * number(place.part);
  if (place.part == 0.5) {  // the mean of both, rounded once; infinite beside an infinity
    const Mask huge = isinf(low + high);
    const auto mean = (cast<C>(below) + cast<C>(above)) * number(0.5);
    return where(last == last, cast<T>(where(huge, parts, mean)), last);
  }
  // NumPy's interpolation: from the nearer of the two, so that it is exact at both and monotonic. Between two equal
  // infinities the difference is 0.
  const Mask huge = isinf(high - low) && isfinite(low) && isfinite(high);
  const auto distance = eval(where(detach(below) == detach(above), C{}, cast<C>(above) - cast<C>(below)));
  if (place.part < 0.5) {
    return where(last == last, cast<T>(where(huge, parts, cast<C>(below) + distance * number(place.part))), last);
  }
  return where(last == last, cast<T>(where(huge, parts, cast<C>(above) - distance * number(1 - place.part))), last);
}

/// A quantile for each of `q`, in the shape that the reduction leaves.
template <class X>
[[nodiscard]] std::vector<applied_t<X>> quantiles(const X& x, std::span<const double> q, const ReduceAxes& axes,
                                                  KeepDims keep, const char* name) {
  const ReducedAxes reduced(axes, keep, x.shape(), name);
  const Shape shape = x.shape();
  const std::int64_t count = reduced_count(shape, reduced.set);
  if (count == 0) fail_empty_reduction(name, shape);
  const applied_t<X> lines = lines_along(x, reduced.set);
  const Shape result = reduced_shape(shape, reduced.set, reduced.keep);
  std::vector<applied_t<X>> values;
  using T = value_type_t<X>;
  using D = device_t<X>;
  if constexpr (selects_rank<D, T>) {
    constexpr std::size_t most = 3;  // more are faster from sorted lines
    if (q.size() <= most) {
      const Tensor<T, D> elements = detach(lines);
      for (const double fraction : q) {
        QuantilePlace place(fraction, count);
        const int last = elements.rank() - 1;
        const applied_t<X> three = gather(lines, last, positions_of_rank(elements, last, place.below, 3));
        place.above = place.above > place.below ? 1 : 0;
        place.below = 0;
        values.push_back(reshape(quantile_of_lines(three, place), result));
      }
      return values;
    }
  }
  const applied_t<X> sorted = sort(lines, -1);
  for (const double fraction : q) {
    values.push_back(reshape(quantile_of_lines(sorted, QuantilePlace(fraction, count)), result));
  }
  return values;
}

}  // namespace internal

/// The element at the fraction `q` of the sorted elements, 0 for the smallest and 1 for the largest, along all axes,
/// one, or several; linearly interpolated between two of them, as in NumPy, except that the result next to an infinity
/// is NaN only between an infinity and another element. NaN if any element is. For floating elements. Throws
/// `ValueError` for a `q` outside [0, 1], and for no elements. The gradient goes to the one or two elements used.
///
///     Tensor upper = quantile(x, 0.75, 1);
///     Tensor limit = quantile(norms, 0.9, keepdims);
template <TensorLike X>
  requires FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X> quantile(const X& x, double q, const ReduceAxes& axes = {}, KeepDims keep = KeepDims::no) {
  return internal::quantiles(x, std::span<const double>(&q, 1), axes, keep, "quantile").front();
}
/// Several quantiles, along a new first axis.
///
///     Tensor quartiles = quantile(x, {0.25, 0.5, 0.75}, 1);    // (n, m) -> (3, n)
template <TensorLike X>
  requires FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X> quantile(const X& x, std::span<const double> q, const ReduceAxes& axes = {},
                                    KeepDims keep = KeepDims::no) {
  if (q.empty()) throw ValueError("quantile: the list of quantiles is empty; give at least one, in [0, 1]");
  return stack(internal::quantiles(x, q, axes, keep, "quantile"));
}
template <TensorLike X>
  requires FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X> quantile(const X& x, std::initializer_list<double> q, const ReduceAxes& axes = {},
                                    KeepDims keep = KeepDims::no) {
  return quantile(x, std::span<const double>(q.begin(), q.size()), axes, keep);
}
template <class... Rest>
Tensor<float, Cpu> quantile(operation_undefined_for_elements<internal::operation::Quantile>::fix_call_cast,
                            const Rest&...);

/// The middle of the sorted elements; the mean of the middle two if their number is even, as in NumPy (PyTorch: the
/// lower one; use `kthvalue` for that). NaN if any element is.
///
///     Tensor typical = median(x, 0);
template <TensorLike X>
  requires FloatingElement<value_type_t<X>>
[[nodiscard]] applied_t<X> median(const X& x, const ReduceAxes& axes = {}, KeepDims keep = KeepDims::no) {
  const double middle = 0.5;
  return internal::quantiles(x, std::span<const double>(&middle, 1), axes, keep, "median").front();
}
template <class... Rest>
Tensor<float, Cpu> median(operation_undefined_for_elements<internal::operation::Quantile>::fix_call_cast,
                          const Rest&...);

/// The `k`-th smallest element along an axis, by default the last, counted from 1 as in PyTorch, and its position:
/// equal elements keep their order, NaN comes last. Throws `ValueError` unless `k` is 1 to the extent of the axis.
///
///     auto [values, indices] = kthvalue(scores, 2, 1);
template <TensorLike X>
[[nodiscard]] KthValue<applied_t<X>> kthvalue(const X& x, std::int64_t k, std::int64_t axis = -1,
                                              KeepDims keep = KeepDims::no) {
  const applied_t<X> tensor = eval(x);
  const Shape shape = tensor.shape();
  const int a = internal::normalize_axis(axis, shape.rank(), "kthvalue");
  if (k < 1 || k > shape[a]) {
    throw ValueError("kthvalue: k is " + std::to_string(k) + ", but axis " + std::to_string(axis) + " of shape " +
                     shape.to_string() + " has " + std::to_string(shape[a]) + " positions; k must be 1 to " +
                     std::to_string(shape[a]));
  }
  using D = device_t<X>;
  const Tensor<value_type_t<X>, D> elements = detach(tensor);
  Tensor<std::int64_t, D> indices;
  if constexpr (internal::selects_rank<D, value_type_t<X>>) {
    indices = internal::positions_of_rank(elements, a, k - 1, 1);
  } else {
    indices = contiguous(narrow(topk(elements, k, a, false).indices, a, k - 1, 1));
  }
  applied_t<X> values = gather(tensor, a, indices);
  if (keep == KeepDims::yes) return {std::move(values), indices};
  return {squeeze(std::move(values), a), squeeze(indices, a)};
}

}  // namespace situ
