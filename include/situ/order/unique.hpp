// SPDX-License-Identifier: Apache-2.0
// The distinct values in a tensor: `unique unique_counts unique_inverse unique_all`, by the names of the array API.
// Their number is known only after counting: each function waits once for it, or takes a bound.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/sort.hpp>
#include <situ/ops/true_elements.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal {
struct DistinctHeader;
void is_included(const DistinctHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// How many values `unique` returns, so that it need not wait for their number.
template <Element T>
struct UniqueBound {
  std::int64_t size;  // as many, regardless of their actual number
  T fill{};           // the value of the unused ones; their counts are 0
};

/// The values in ascending order, and how often each occurs in the tensor.
template <Element T, Device D>
struct UniqueCounts {
  Tensor<T, D> values;
  Tensor<std::int64_t, D> counts;
};
/// The values, and which of them each element is: `take(values, inverse_indices, 0)` is the tensor.
template <Element T, Device D>
struct UniqueInverse {
  Tensor<T, D> values;
  Tensor<std::int64_t, D> inverse_indices;
};
/// These, and where each value occurs first, in row-major order.
template <Element T, Device D>
struct UniqueAll {
  Tensor<T, D> values;
  Tensor<std::int64_t, D> indices;
  Tensor<std::int64_t, D> inverse_indices;
  Tensor<std::int64_t, D> counts;
};

namespace internal {

/// Sorted elements as runs of equal ones.
template <Element T, Device D>
class RunsOfEqual {
 public:
  /// With a bound there are as many runs as it says, the unused ones empty. Throws `ShapeError` for a negative one.
  RunsOfEqual(Tensor<T, D> sorted, const UniqueBound<T>* bound, CallSite site)
      : sorted_(std::move(sorted)), bound_(bound), starts_(starts()), ends_(ends(site)) {}

  /// A value for each run.
  [[nodiscard]] Tensor<T, D> values() const { return at_starts(sorted_, bound_ == nullptr ? T{} : bound_->fill); }
  [[nodiscard]] Tensor<std::int64_t, D> counts() const { return last(1) - first(); }
  /// For each run the element of another tensor at the run's beginning.
  template <Element V>
  [[nodiscard]] Tensor<V, D> at_starts(const Tensor<V, D>& other, V fill) const {
    if (bound_ == nullptr) return take(other, first(), 0);
    if (sorted_.size() == 0) return full<V>({bound_->size}, fill, D{});
    const std::int64_t end = sorted_.size();
    return where(first() == end, fill, take(other, minimum(first(), end - 1), 0));
  }
  /// For each element the number of its run.
  [[nodiscard]] Tensor<std::int64_t, D> numbers() const { return cumsum(starts_, 0) - 1; }

 private:
  [[nodiscard]] Tensor<bool, D> starts() const {
    const std::int64_t count = sorted_.size();
    Tensor<bool, D> result = full<bool>({count}, true, D{});
    if (count < 2) return result;
    const Tensor<T, D> before = sorted_(range(0, count - 1));
    const Tensor<T, D> after = sorted_(range(1, count));
    // NaN, which equals nothing, comes last: no run begins after the first NaN.
    if constexpr (FloatingElement<T>) result.at(range(1, count)) = after != before && before == before;
    else result.at(range(1, count)) = after != before;
    return result;
  }

  /// Where the runs begin and, as one more, where the last ends. For empty runs both are the number of elements.
  [[nodiscard]] Tensor<std::int64_t, D> ends(CallSite site) const {
    const std::int64_t count = sorted_.size();
    if (bound_ == nullptr) return pad(true_positions(starts_, std::nullopt, site), {{0, 1}}, count);
    if (bound_->size < 0) throw ShapeError("unique: the size " + std::to_string(bound_->size) + " is negative");
    const std::int64_t one_more = sum_of_extents(bound_->size, 1, "unique");
    const Tensor<std::int64_t, D> positions = true_positions(starts_, one_more, site);
    return where(positions < 0, count, positions);
  }
  [[nodiscard]] Tensor<std::int64_t, D> first() const { return ends_(range(0, ends_.size() - 1)); }
  [[nodiscard]] Tensor<std::int64_t, D> last(std::int64_t behind) const { return ends_(range(behind, ends_.size())); }

  Tensor<T, D> sorted_;
  const UniqueBound<T>* bound_;
  Tensor<bool, D> starts_;
  Tensor<std::int64_t, D> ends_;
};

template <TensorLike X>
using unique_bound_t = UniqueBound<value_type_t<X>>;

template <TensorLike X>
[[nodiscard]] auto runs_of(const X& x, const unique_bound_t<X>* bound, CallSite site) {
  const Tensor<value_type_t<X>, device_t<X>> flat = reshape(detach(x), Shape{x.shape().count()});
  return RunsOfEqual<value_type_t<X>, device_t<X>>(sort(flat, 0), bound, site);
}

template <TensorLike X>
[[nodiscard]] UniqueAll<value_type_t<X>, device_t<X>> unique_parts(const X& x, const unique_bound_t<X>* bound,
                                                                   CallSite site) {
  using T = value_type_t<X>;
  using D = device_t<X>;
  const Tensor<T, D> flat = reshape(detach(x), Shape{x.shape().count()});
  const Tensor<std::int64_t, D> order = argsort(flat, 0);
  const RunsOfEqual<T, D> runs(take(flat, order, 0), bound, site);
  Tensor<std::int64_t, D> inverse = scatter(zeros<std::int64_t>({flat.size()}, D{}), 0, order, runs.numbers());
  return {runs.values(), runs.at_starts(order, std::int64_t{-1}), reshape(std::move(inverse), x.shape()),
          runs.counts()};
}

}  // namespace internal

/// The distinct values of all elements, in ascending order. NaN counts as one value, the last, as in NumPy; of 0 and
/// -0, which are equal, it returns the one that occurs first. Waits once, for their number.
///
///     unique(tensor({3, 1, 3, 2}))    // 1 2 3
template <TensorLike X>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> unique(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique", site);
  return internal::runs_of(x, nullptr, site).values();
}
/// As many values as the bound says, without waiting: the first of them, and `fill` for the unused ones. Throws
/// `ShapeError` for a negative size.
///
///     unique(tensor({3, 1, 3, 2}), {.size = 5, .fill = -1})    // 1 2 3 -1 -1
template <TensorLike X>
[[nodiscard]] Tensor<value_type_t<X>, device_t<X>> unique(const X& x, internal::unique_bound_t<X> bound) {
  return internal::runs_of(x, &bound, CallSite{}).values();
}

/// `unique`, and how often each value occurs. Waits once; with a bound it does not, and counts of `fill` are 0.
///
///     auto [values, counts] = unique_counts(labels);
template <TensorLike X>
[[nodiscard]] UniqueCounts<value_type_t<X>, device_t<X>> unique_counts(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique_counts", site);
  const auto runs = internal::runs_of(x, nullptr, site);
  return {runs.values(), runs.counts()};
}
template <TensorLike X>
[[nodiscard]] UniqueCounts<value_type_t<X>, device_t<X>> unique_counts(const X& x, internal::unique_bound_t<X> bound) {
  const auto runs = internal::runs_of(x, &bound, CallSite{});
  return {runs.values(), runs.counts()};
}

/// `unique`, and the index of each element's value, in the shape of `x`. Waits once; with a bound it does not, and an
/// element whose value is beyond the bound gets the index that it would have.
///
///     auto [words, ids] = unique_inverse(text);
template <TensorLike X>
[[nodiscard]] UniqueInverse<value_type_t<X>, device_t<X>> unique_inverse(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique_inverse", site);
  auto all = internal::unique_parts(x, nullptr, site);
  return {all.values, all.inverse_indices};
}
template <TensorLike X>
[[nodiscard]] UniqueInverse<value_type_t<X>, device_t<X>> unique_inverse(const X& x,
                                                                         internal::unique_bound_t<X> bound) {
  auto all = internal::unique_parts(x, &bound, CallSite{});
  return {all.values, all.inverse_indices};
}

/// `unique` with everything that is known of the values: where each occurs first, which one each element is, and how
/// often it occurs. Waits once; with a bound it does not, and positions of `fill` are -1.
template <TensorLike X>
[[nodiscard]] UniqueAll<value_type_t<X>, device_t<X>> unique_all(const X& x, CallSite site = CallSite::here()) {
  const internal::movement::WholeCall whole("unique_all", site);
  return internal::unique_parts(x, nullptr, site);
}
template <TensorLike X>
[[nodiscard]] UniqueAll<value_type_t<X>, device_t<X>> unique_all(const X& x, internal::unique_bound_t<X> bound) {
  return internal::unique_parts(x, &bound, CallSite{});
}

}  // namespace situ
