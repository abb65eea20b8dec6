// SPDX-License-Identifier: Apache-2.0
// A tensor to several devices and back: `scatter` splits it, `broadcast` repeats it, `gather` puts parts together.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/join.hpp>
#include <situ/tensor/copy.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

/// What can be sent to other devices: a tensor, a part of one, an expression.
template <class X>
concept Sendable = TensorLike<X> && !Recorded<X>;

/// Tensors of one element type, each on a device of its own or not.
template <class... X>
concept Parts = sizeof...(X) > 0 && (Sendable<X> && ...) && one_element_type<X...>;

/// `count` positions in `parts` runs of adjacent ones; the first `count % parts` have one more, as by numpy.array_split.
class EvenSplit {
 public:
  EvenSplit(std::int64_t count, std::size_t parts) noexcept
      : each_(count / static_cast<std::int64_t>(parts)), longer_(count % static_cast<std::int64_t>(parts)) {}

  [[nodiscard]] std::int64_t begin(std::size_t part) const noexcept {
    const auto i = static_cast<std::int64_t>(part);
    return i * each_ + std::min(i, longer_);
  }
  [[nodiscard]] Range operator[](std::size_t part) const noexcept { return {begin(part), begin(part + 1), 1}; }

 private:
  std::int64_t each_;
  std::int64_t longer_;
};

template <class To, class T, Device From, std::size_t... At>
[[nodiscard]] To scattered_parts(const Tensor<T, From>& x, std::index_sequence<At...>) {
  const EvenSplit rows(x.shape()[0], sizeof...(At));
  return To{x(rows[At]).template to<typename std::tuple_element_t<At, To>::device_type>()...};
}

/// Copies `part` to the rows of `whole`, which nothing else holds, from `row` on.
template <Element T, Device From, Device To>
void place_rows(const Tensor<T, From>& part, Tensor<T, To>& whole, std::int64_t row) {
  if (part.size() > 0) copy(part, whole.at(Range{row, row + part.shape()[0], 1}));
}

}  // namespace internal

/// Splits a tensor along its first axis, one part for each device in the order in which they are named. The parts have
/// equal extents, the first ones one more where that does not come out even, as numpy.array_split has it; with fewer
/// rows than devices the last parts are empty. Throws `ShapeError` for a tensor of rank 0.
///
/// A part on the device of `x` shares its storage, the others are copied as `to` copies: from `Pinned` and from a GPU
/// all copies are on their way when `scatter` returns, from `Cpu` each is staged in turn.
///
///     auto [a, b] = scatter<Cuda<0>, Cuda<1>>(batch);   // (5, n) -> (3, n) on cuda:0 and (2, n) on cuda:1
template <Device... To, class X>
  requires(sizeof...(To) > 0 && internal::Sendable<X>)
[[nodiscard]] std::tuple<Tensor<value_type_t<X>, To>...> scatter(const X& x) {
  if (x.shape().rank() == 0) {
    throw ShapeError("scatter: a tensor of shape () has no axis to split; reshape(x, {1}), or broadcast it");
  }
  return internal::scattered_parts<std::tuple<Tensor<value_type_t<X>, To>...>>(eval(x),
                                                                               std::index_sequence_for<To...>{});
}
void scatter(the_call_names_no_devices::fix_name_them_as_in_scatter_Cuda_0_Cuda_1);

/// The tensor on each of the devices, in the order in which they are named. On its own device it shares storage.
///
///     auto [w0, w1] = broadcast<Cuda<0>, Cuda<1>>(weights);
template <Device... To, class X>
  requires(sizeof...(To) > 0 && internal::Sendable<X>)
[[nodiscard]] std::tuple<Tensor<value_type_t<X>, To>...> broadcast(const X& x) {
  const Tensor<value_type_t<X>, device_t<X>> tensor = eval(x);
  return std::tuple<Tensor<value_type_t<X>, To>...>{tensor.template to<To>()...};
}
void broadcast(the_call_names_no_devices::fix_name_them_as_in_broadcast_Cuda_0_Cuda_1);

/// Parts from any devices, one behind the other along the first axis, on device `To`: the way back from `scatter`. All
/// other extents must be equal (else `ShapeError`).
///
///     Tensor y = gather<Cpu>(scatter<Cuda<0>, Cuda<1>>(x));   // equal to x
///     Tensor z = gather<Cuda<0>>(a, b);
template <Device To, class... X>
  requires internal::Parts<X...>
[[nodiscard]] Tensor<internal::common_element_t<X...>, To> gather(const X&... parts) {
  using T = internal::common_element_t<X...>;
  internal::JoinedShape joined(std::get<0>(std::tie(parts...)).shape(), 0, "gather", /*new_axis=*/false);
  (joined.add(parts.shape()), ...);
  Tensor<T, To> whole = empty<T>(joined.shape(), To{});
  std::int64_t row = 0;
  const auto place = [&](const auto& part) {
    internal::place_rows(part, whole, row);
    row += part.shape()[0];
  };
  (place(eval(parts)), ...);
  return whole;
}
template <Device To, class... X>
  requires internal::Parts<X...>
[[nodiscard]] Tensor<internal::common_element_t<X...>, To> gather(const std::tuple<X...>& parts) {
  return std::apply([](const X&... part) { return gather<To>(part...); }, parts);
}

// The guards: never defined, see distributed/diagnostics.hpp.
template <Device To, class T, class D, class... Rest>
placed<T, To> gather(const placed<T, D>&, typename element_types_of_the_parts_differ<T>::template fix_call_cast<T>,
                     const Rest&...);
template <Device To, class T, class D, class Second, class... Rest>
placed<T, To> gather(const placed<T, D>&, const placed<T, Second>&,
                     typename element_types_of_the_parts_differ<T>::template fix_call_cast<T>, const Rest&...);
template <Device To>
on_device<To> gather(element_types_of_a_tuple_differ::fix_call_cast);
template <class... Rest>
  requires(TensorLike<Rest> && ...)
void gather(the_call_names_no_devices::fix_name_it_as_in_gather_Cuda_0, const Rest&...);

template <Device... To>
  requires(sizeof...(To) > 0)
void scatter(sending_would_lose_the_gradient::fix_call_no_grad);
template <Device... To>
  requires(sizeof...(To) > 0)
void broadcast(sending_would_lose_the_gradient::fix_call_no_grad);

}  // namespace situ
