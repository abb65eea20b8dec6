// SPDX-License-Identifier: Apache-2.0
// Counts of elements in bins: `histogram`.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/config.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/unary.hpp>
#include <situ/order/count.hpp>
#include <situ/order/search.hpp>
#include <situ/plan/order.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {
struct HistogramHeader;
void is_included(const HistogramHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// The range of values that the bins of a histogram cover.
struct ValueRange {
  double low;
  double high;
};

/// The result of `histogram`: a count, or a sum of weights, for each bin, and the edges of the bins, one more.
template <TensorLike Hist, Element E>
struct Histogram {
  Hist hist;
  Tensor<E, device_t<Hist>> bin_edges;
};

namespace internal {

/// The place of a call, for a parameter where another overload takes numbers in braces: it keeps {0, 1} from converting
/// to a `CallSite`.
class PlaceOfCall {
 public:
  constexpr explicit PlaceOfCall(CallSite site) noexcept : site_(site) {}
  [[nodiscard]] constexpr CallSite site() const noexcept { return site_; }

 private:
  CallSite site_;
};

/// The element type of edges: `T`; `float` for 16-bit floats, in which close edges would be equal; `double` for
/// integers.
template <Element T>
using edge_t =
    typename std::conditional_t<FloatingElement<T>, std::type_identity<compute_t<T>>, std::type_identity<double>>::type;

/// The smallest and the largest element, which it waits for; 0 to 1 if there are no elements.
template <Element T, Device D>
[[nodiscard]] ValueRange range_of_values(const Tensor<T, D>& x, CallSite site) {
  if (x.size() == 0) return {0, 1};
  const movement::WholeCall whole("histogram", site);
  const Tensor<T, Cpu> both = stack(min(x), max(x)).to(Cpu{}, site);
  const auto value = [&](std::int64_t i) { return static_cast<double>(static_cast<compute_t<T>>(both(i))); };
  return {value(0), value(1)};
}

/// `bins` + 1 edges. A range of one value is extended by 0.5 on both sides, as in NumPy. Throws `ValueError` for less
/// than one bin, and for a range that is infinite or backwards.
template <FloatingElement E, Device D>
[[nodiscard]] Tensor<E, D> even_edges(std::int64_t bins, ValueRange range) {
  if (bins < 1) throw ValueError("histogram: " + std::to_string(bins) + " bins; it needs at least 1");
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high) {
    throw ValueError("histogram: the range from " + number_text(range.low) + " to " + number_text(range.high) +
                     " is invalid; name one, histogram(x, bins, {low, high}), of two finite numbers, the lower first");
  }
  // here, so that errors name this call, and not `linspace`
  static_cast<void>(element_from_scalar<E>(range.low, "histogram", name_wider_elements));
  static_cast<void>(element_from_scalar<E>(range.high, "histogram", name_wider_elements));
  if (range.low == range.high) range = {range.low - 0.5, range.high + 0.5};
  // Hundreds of edges equal to their neighbors are slow to search, and mean nothing.
  const double end = std::max(std::abs(range.low), std::abs(range.high));
  if (static_cast<E>(end) == static_cast<E>(end - (range.high - range.low) / static_cast<double>(bins))) {
    throw ValueError("histogram: " + std::to_string(bins) + " bins between " + number_text(range.low) + " and " +
                     number_text(range.high) + " are too narrow for the elements; use fewer bins, or cast<double>(x)");
  }
  return linspace<E>(range.low, range.high, sum_of_extents(bins, 1, "histogram"), D{});
}

/// Counts the bin numbers of the elements, given by `f`, or sums `weights` by them.
template <Device D, class F, class... Read>
[[nodiscard]] Tensor<std::int64_t, D> histogram_of(std::int64_t count, std::int64_t bins, const F& f, NoWeights,
                                                   const Read&... read) {
  return counts_of<D>(count, bins, f, read...);
}
template <Device D, class F, TensorLike W, class... Read>
[[nodiscard]] applied_t<W> histogram_of(std::int64_t count, std::int64_t bins, const F& f, const W& weights,
                                        const Read&... read) {
  return sums_of(weights, generated<std::int64_t, D>(Shape{count}, f, read...), bins);
}

template <Element T, Device D, class W>
[[nodiscard]] auto even_histogram(const Tensor<T, D>& x, std::int64_t bins, ValueRange range, const W& weights) {
  using E = edge_t<T>;
  const Tensor<E, D> edges = even_edges<E, D>(bins, range);
  const double width = range.high > range.low ? range.high - range.low : 1.0;
  const Tensor<T, D> flat = contiguous(x);
  const program::EvenBins<T, E> bin{flat.element_pointer(), edges.element_pointer(), bins,
                                    static_cast<double>(bins) / width};
  auto hist = histogram_of<D>(flat.size(), bins, bin, weights, flat, edges);
  return Histogram<decltype(hist), E>{std::move(hist), edges};
}

template <Element T, Device D, class W>
[[nodiscard]] auto uneven_histogram(const Tensor<T, D>& x, const Tensor<edge_t<T>, D>& bin_edges, const W& weights) {
  using E = edge_t<T>;
  if (bin_edges.rank() != 1 || bin_edges.size() < 2) {
    throw ShapeError("histogram: edges of shape " + bin_edges.shape().to_string() +
                     " do not make a bin; give a vector of at least 2");
  }
  const Tensor<E, D> edges = contiguous(bin_edges);
  const Tensor<E, D> flat = contiguous(cast<E>(x));
  const program::UnevenBins<E> bin{
      {edges.element_pointer(), edges.size(), flat.element_pointer(), flat.size(), true, true}};
  auto hist = histogram_of<D>(flat.size(), edges.size() - 1, bin, weights, flat, edges);
  return Histogram<decltype(hist), E>{std::move(hist), edges};
}

template <class X>
concept Histogrammed = TensorLike<X> && NumberElement<value_type_t<X>>;
template <class E, class X>
concept EdgesFor =
    TensorLike<E> && std::same_as<value_type_t<E>, edge_t<value_type_t<X>>> && std::same_as<device_t<E>, device_t<X>>;

}  // namespace internal

/// Counts how many elements fall into each of `bins` equally wide bins between the smallest and the largest element:
/// `.hist`, `int64`, and `.bin_edges`, one more (`float` for 16-bit floats, `double` for integers). A bin includes its
/// lower edge, and the last one both. Waits once, for the range. Throws `ValueError` if an element is not finite, and
/// for less than one bin.
///
///     auto [counts, edges] = histogram(samples, 20);
template <internal::Histogrammed X>
[[nodiscard]] auto histogram(const X& x, std::int64_t bins,
                             internal::PlaceOfCall place = internal::PlaceOfCall(CallSite::here())) {
  const auto values = detach(x);
  const ValueRange range = internal::range_of_values(values, place.site());
  return internal::even_histogram(values, bins, range, internal::NoWeights{});
}
/// Bins between two values, without waiting; elements outside, and NaN, are not counted.
///
///     Tensor per_percent = histogram(shares, 100, {0, 1}).hist;
template <internal::Histogrammed X>
[[nodiscard]] auto histogram(const X& x, std::int64_t bins, ValueRange range) {
  return internal::even_histogram(detach(x), bins, range, internal::NoWeights{});
}
/// Sums weights, one for each element, instead of counting; with their element type and gradients. Throws `ShapeError`
/// unless weights have the shape of `x`.
template <internal::Histogrammed X, internal::WeightsFor<X> W>
[[nodiscard]] auto histogram(const X& x, std::int64_t bins, ValueRange range, const W& weights) {
  internal::require_weights(x.shape(), weights.shape(), "histogram");
  return internal::even_histogram(detach(x), bins, range, weights);
}
/// Bins between ascending edges, a vector, without waiting. Throws `ShapeError` for fewer than two edges.
///
///     Tensor sizes = histogram(areas, tensor({0.f, 1.f, 10.f, 100.f})).hist;
template <internal::Histogrammed X, internal::EdgesFor<X> Edges>
[[nodiscard]] auto histogram(const X& x, const Edges& bin_edges) {
  return internal::uneven_histogram(detach(x), detach(bin_edges), internal::NoWeights{});
}
template <internal::Histogrammed X, internal::EdgesFor<X> Edges, internal::WeightsFor<X> W>
[[nodiscard]] auto histogram(const X& x, const Edges& bin_edges, const W& weights) {
  internal::require_weights(x.shape(), weights.shape(), "histogram");
  return internal::uneven_histogram(detach(x), detach(bin_edges), weights);
}
/// `histogram(x)`: "histogram takes the number of bins: fix: write it behind the values", `histogram(x, 10)`.
struct histogram_takes_the_number_of_bins {
  struct fix_write_it_behind_the_values {
    template <class T, class D>
    fix_write_it_behind_the_values(const placed<T, D>&) = delete;
  };
};
Histogram<Tensor<std::int64_t, Cpu>, float> histogram(
    histogram_takes_the_number_of_bins::fix_write_it_behind_the_values);
template <class D, class... W>
on_device<D> histogram(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>,
                       const W&...);
template <class T, class D, class... W>
placed<T, D> histogram(
    const placed<T, D>&,
    typename element_types_differ<internal::edge_t<T>, D>::template fix_call_cast<internal::edge_t<T>>, const W&...);

}  // namespace situ
