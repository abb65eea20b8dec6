// SPDX-License-Identifier: Apache-2.0
// Counts of values: `bincount`. Counts do not depend on the number of threads, and weights are added up in the order of
// the elements.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/apply.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/no_grad.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/order/every_kernel.hpp>
#include <situ/plan/order.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {
struct CountsHeader;
void is_included(const CountsHeader*);  // see ops/in_other_headers.hpp
}  // namespace internal

/// How many numbers `bincount` counts, so that it need not wait for the largest.
struct CountBound {
  std::int64_t size;
};

/// "the second argument of bincount could be a bound or a minimum: fix: name the size, bincount(x, {.size = 10}), or
/// write the minimum without braces, bincount(x, 10)". (A template, since nvcc looks at other default arguments early.)
template <class Element>
struct the_second_argument_of_bincount_could_be_a_bound_or_a_minimum {
  struct fix_write_dot_size_or_no_braces {
    fix_write_dot_size_or_no_braces() = delete;
  };
};

namespace internal {

namespace operation {

/// Names the operation in errors.
struct BinCount {
  template <Element T>
  static constexpr bool accepts = IntegerElement<T>;
};

}  // namespace operation

/// Counts the numbers `f(i)` from 0 to `size - 1`; `f` reads the tensors `read`.
template <Device D, class F, class... Read>
[[nodiscard]] Tensor<std::int64_t, D> counts_of(std::int64_t count, std::int64_t size, const F& f,
                                                const Read&... read) {
  Tensor<std::int64_t, D> result = zeros<std::int64_t>({size}, D{});
  if (count == 0 || size == 0) return result;
  Storage<D> storage = result.storage();
  result = {};
  call_kernel<D, kernels::Count, CountsEach<backend_t<D>, F>>(
      [&](auto backend) { count_each(backend, f, count, size, static_cast<std::int64_t*>(storage.data())); },
      writes<std::int64_t>(storage), reads(read)...);
  return Tensor<std::int64_t, D>(std::move(storage), Layout::row_major(Shape{size}));
}

/// The sums of weights by number, from 0 to `size - 1`; other numbers go to one extra bin, which is cut off.
template <class W, Device D>
[[nodiscard]] applied_t<W> sums_of(const W& weights, const Tensor<std::int64_t, D>& numbers, std::int64_t size) {
  const std::int64_t places = sum_of_extents(size, 1, "bincount");
  const Tensor<std::int64_t, D> at = where(numbers < 0 || numbers >= size, size, numbers);
  const applied_t<W> flat = reshape(eval(weights), Shape{weights.shape().count()});
  using C = compute_t<value_type_t<W>>;  // sums of ones would stop at 256 in bfloat16
  const auto sums = scatter_add(zeros<C>({places}, D{}), 0, at, cast<C>(flat));
  return cast<value_type_t<W>>(apply(operation::Slice{{}, 0, 0, size}, sums));
}

inline void require_weights(const Shape& x, const Shape& weights, const char* name) {
  if (x == weights) return;
  throw ShapeError(std::string(name) + ": the weights have shape " + weights.to_string() + ", x " + x.to_string() +
                   "; give one weight for each element");
}

/// Used without weights: each element counts 1.
struct NoWeights {};

/// How many numbers `bincount` counts: up to the largest, which it waits for. Throws `ValueError` for a negative one.
template <TensorLike X>
[[nodiscard]] std::int64_t numbers_in(const X& x, std::int64_t minlength, CallSite site) {
  if (minlength < 0) {
    throw ValueError("bincount: minlength is " + std::to_string(minlength) + "; it must not be negative");
  }
  if (x.shape().count() == 0) return minlength;
  const movement::WholeCall whole("bincount", site);
  constexpr std::int64_t negative = std::numeric_limits<std::int64_t>::max();  // found in the same pass
  const auto number = cast<std::int64_t>(x);
  const std::int64_t largest = max(where(number < 0, negative, number)).to(Cpu{}, site).item();
  if (largest == negative) {
    throw ValueError(
        "bincount: x has negative elements, or one too large to count up to; bincount counts the numbers "
        "from 0 to the largest");
  }
  return std::max(minlength, largest + 1);
}

template <TensorLike X>
[[nodiscard]] Tensor<std::int64_t, device_t<X>> counted(const X& x, std::int64_t size) {
  const Tensor<value_type_t<X>, device_t<X>> flat = contiguous(x);
  return counts_of<device_t<X>>(flat.size(), size, program::OwnNumber<value_type_t<X>>{flat.element_pointer()}, flat);
}

inline void require_count_bound(CountBound bound) {
  if (bound.size < 0) throw ShapeError("bincount: the size " + std::to_string(bound.size) + " is negative");
}

template <class X>
concept Countable = TensorLike<X> && IntegerElement<value_type_t<X>>;
template <class W, class X>
concept WeightsFor = TensorLike<W> && NumberElement<value_type_t<W>> && std::same_as<device_t<W>, device_t<X>>;

}  // namespace internal

/// Counts how often each of the numbers 0, 1, ... occurs among all elements, up to the largest, and for at least
/// `minlength` numbers: `int64`. Waits once, for the largest. Throws `ValueError` for a negative element.
///
///     bincount(tensor({1, 3, 1}))    // 0 2 0 1
template <internal::Countable X>
[[nodiscard]] Tensor<std::int64_t, device_t<X>> bincount(const X& x, std::int64_t minlength = 0,
                                                         CallSite site = CallSite::here()) {
  const auto numbers = eval(x);
  return internal::counted(numbers, internal::numbers_in(numbers, minlength, site));
}
/// As many counts as the bound says, without waiting; other numbers, negative ones too, are not counted.
///
///     Tensor per_class = bincount(labels, {.size = 10});
template <internal::Countable X>
[[nodiscard]] Tensor<std::int64_t, device_t<X>> bincount(const X& x, CountBound bound) {
  internal::require_count_bound(bound);
  return internal::counted(eval(x), bound.size);
}
/// Sums weights, one for each element, instead of counting; with their element type and gradients. Waits once. Throws
/// `ShapeError` unless weights have the shape of `x`.
template <internal::Countable X, internal::WeightsFor<X> W>
[[nodiscard]] applied_t<W> bincount(const X& x, const W& weights, std::int64_t minlength = 0,
                                    CallSite site = CallSite::here()) {
  internal::require_weights(x.shape(), weights.shape(), "bincount");
  const auto numbers = eval(x);
  const std::int64_t size = internal::numbers_in(numbers, minlength, site);
  return internal::sums_of(weights, eval(cast<std::int64_t>(reshape(numbers, Shape{numbers.size()}))), size);
}
/// The same for as many numbers as the bound says, without waiting.
template <internal::Countable X, internal::WeightsFor<X> W>
[[nodiscard]] applied_t<W> bincount(const X& x, const W& weights, CountBound bound) {
  internal::require_weights(x.shape(), weights.shape(), "bincount");
  internal::require_count_bound(bound);
  const auto numbers = eval(x);
  return internal::sums_of(weights, eval(cast<std::int64_t>(reshape(numbers, Shape{numbers.size()}))), bound.size);
}
template <class... Rest>
Tensor<std::int64_t, Cpu> bincount(operation_undefined_for_elements<internal::operation::BinCount>::fix_call_cast,
                                   const Rest&...);
template <internal::Countable X>
Tensor<std::int64_t, Cpu> bincount(const X&, std::initializer_list<std::int64_t>,
                                   typename the_second_argument_of_bincount_could_be_a_bound_or_a_minimum<
                                       value_type_t<X>>::fix_write_dot_size_or_no_braces = {});
template <internal::Countable X, internal::WeightsFor<X> W>
applied_t<W> bincount(const X&, const W&, std::initializer_list<std::int64_t>,
                      typename the_second_argument_of_bincount_could_be_a_bound_or_a_minimum<
                          value_type_t<X>>::fix_write_dot_size_or_no_braces = {});
template <class D>
on_device<D> bincount(const on_device<D>&, typename tensors_live_on_different_devices<D>::template fix_call_dot_to<D>);

}  // namespace situ
