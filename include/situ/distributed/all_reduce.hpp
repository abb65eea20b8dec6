// SPDX-License-Identifier: Apache-2.0
// The element-wise sum, maximum or minimum of one tensor from each device, on all of the devices.
//
// The positions are divided among the devices. Each device fetches its share from all others, combines it in the order
// of the devices, and sends the result to the others. So every device sends and receives about twice a tensor's bytes,
// for any number of devices; every sum is computed once, in one order that depends neither on sizes nor on timing. See
// docs/decisions/all-reduce.md.
//
// Rejected: a ring, which moves as many bytes in more steps, and whose order of summation differs between positions;
// fetching everything on one device, whose link then carries all the traffic.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/nccl.hpp>
#include <situ/expression/arithmetic.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/logic.hpp>
#include <situ/expression/uses.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/view.hpp>
#include <situ/tensor/copy.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal {

/// Whether elements can be combined by `Op`. The maximum of `bool` is whether any is true, the minimum whether all are.
template <ReduceOp Op, class T>
inline constexpr bool reducible = Op != ReduceOp::sum || NumberElement<T>;

/// Combines expressions in order into one expression.
template <ReduceOp Op, class First>
[[nodiscard]] auto combined(const First& first) {
  return first;
}
template <ReduceOp Op, class First, class Second, class... Rest>
[[nodiscard]] auto combined(const First& first, const Second& second, const Rest&... rest) {
  constexpr bool truth = std::same_as<value_type_t<First>, bool>;
  if constexpr (Op == ReduceOp::sum) return combined<Op>(first + second, rest...);
  else if constexpr (Op == ReduceOp::max && truth) return combined<Op>(first || second, rest...);
  else if constexpr (Op == ReduceOp::max) return combined<Op>(maximum(first, second), rest...);
  else if constexpr (truth) return combined<Op>(first && second, rest...);
  else return combined<Op>(minimum(first, second), rest...);
}

/// Up to this many bytes are combined on the first device alone, which takes half as many copies. Not measured.
inline constexpr std::int64_t reduced_at_once = std::int64_t{64} << 10;

/// Work enqueued in the stream of `Reader` from now on may read `x`, after the work that is now in the stream that
/// wrote it. Announced before any of the copies is issued, so that no copy waits for unrelated copies in that stream.
template <Device Reader, Element T, Device D>
void announce_read(const Tensor<T, D>& x) {
  if constexpr (!HostDevice<Reader> && !HostDevice<D> && !std::same_as<Reader, D>)
    on_backend<Reader>([](const auto&) {}, reads(x));
}

/// The part of `x` with positions [begin, end) along one axis, sharing storage.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> piece(const Tensor<T, D>& x, int axis, std::int64_t begin, std::int64_t end) {
  return Tensor<T, D>(x.storage(), sliced(x.layout(), axis, begin, end));
}
/// Copies `part` into `whole`, from position `begin` along one axis. Nothing else holds the storage of `whole`.
template <Element T, Device From, Device To>
void place_piece(const Tensor<T, From>& part, Tensor<T, To>& whole, int axis, std::int64_t begin) {
  if (part.size() == 0) return;
  Storage<To> storage = whole.storage();
  const auto place = sliced(whole.layout(), axis, begin, begin + part.shape()[axis]);
  if constexpr (std::same_as<From, To>) {
    copy_to_storage(part, storage, place);
  } else {
    const CrossingOf<T, From, To> crossing("copy", part.size(), {});
    copy_to_storage(part, storage, place);
  }
}

/// Calls `f` with the index of each of `D...` as a constant.
template <class... D, class F>
void for_each_device(F&& f) {
  [&f]<std::size_t... Number>(std::index_sequence<Number...>) {
    (f(std::integral_constant<std::size_t, Number>{}), ...);
  }(std::index_sequence_for<D...>{});
}

/// The pieces [begin, end) of all parts along one axis, fetched to `Owner` and combined in the order of the devices, in
/// one pass.
template <Device Owner, ReduceOp Op, Element T, Device... D>
[[nodiscard]] Tensor<T, Owner> combined_on(const std::tuple<Tensor<T, D>...>& parts, int axis, std::int64_t begin,
                                           std::int64_t end) {
  static_assert(sizeof...(D) <= 31, "the parts are combined in one expression, which has room for 31 tensors");
  return std::apply(
      [&](const auto&... part) {
        return evaluate(combined<Op>(piece(part, axis, begin, end).template to<Owner>()...));
      },
      parts);
}

/// Whether NCCL has this operation for elements `T` at all.
template <ReduceOp Op, Element T, Device... D>
inline constexpr bool sums_by_library = false;
#if defined(SITU_CUDA)
template <Element T, Device... D>
  requires((!HostDevice<D> && D::backend::present) && ...)
inline constexpr bool sums_by_library<ReduceOp::sum, T, D...> = cuda::has_nccl_type<T>;
#endif

/// The same by NCCL, into `sums`; false if NCCL cannot do it.
template <ReduceOp Op, Element T, Device... D>
[[nodiscard]] bool reduced_by_library(const std::tuple<Tensor<T, D>...>& parts, std::tuple<Tensor<T, D>...>& sums) {
  // Maxima and minima use our own code: NCCL does not document what it does with NaN.
  if constexpr (sums_by_library<Op, T, D...>) {
    return [&]<std::size_t... Number>(std::index_sequence<Number...>) {
      const std::array backends{D::queue()...};
      if (!all_reduce_reaches(std::span(backends))) return false;
      // The traffic of a ring, which NCCL uses for large tensors: from each GPU to the next.
      const std::int64_t elements = 2 * (static_cast<std::int64_t>(sizeof...(D)) - 1) * std::get<0>(parts).size();
      const movement::Crossing crossing(
          "all_reduce", [] { return std::string("GPUs"); }, [] { return std::string("GPUs, by NCCL"); },
          static_cast<std::size_t>(elements) * sizeof(T), /*host_waits=*/false, {});
      sums = {empty<T>(std::get<Number>(parts).shape(), D{})...};
      (before_write(backends[Number], std::get<Number>(sums).storage()), ...);
      (before_read(backends[Number], std::get<Number>(parts).storage()), ...);
      const std::array<const T*, sizeof...(D)> from{std::get<Number>(parts).element_pointer()...};
      const std::array<T*, sizeof...(D)> to{static_cast<T*>(std::get<Number>(sums).storage().data())...};
      all_reduce_elements<T>(std::span(backends), std::span(from), std::span(to), std::get<0>(parts).size());
      return true;
    }(std::index_sequence_for<D...>{});
  } else {
    return false;
  }
}

/// Contiguous vectors of `count` elements, one on each device, combined on all of them.
template <ReduceOp Op, Element T, Device... D>
class AllReduce {
 public:
  using Tensors = std::tuple<Tensor<T, D>...>;

  AllReduce(const Tensors& parts, std::int64_t count)
      : parts_(parts),
        count_(count),
        owners_(count * static_cast<std::int64_t>(sizeof(T)) <= reduced_at_once ? 1 : sizeof...(D)),
        blocks_((count + block - 1) / block, owners_) {}

  [[nodiscard]] Tensors run() {
    for_each_owner(
        [&](auto owner) { for_each_device<D...>([&](auto i) { announce_read<At<owner>>(std::get<i>(parts_)); }); });
    for_each_owner([&](auto owner) {
      std::get<owner>(sums_) = combined_on<At<owner>, Op>(parts_, 0, begin(owner), begin(owner + 1));
    });
    if (owners_ == 1) return Tensors{std::get<0>(sums_).template to<D>()...};
    for_each_owner(
        [&](auto owner) { for_each_device<D...>([&](auto i) { announce_read<At<i>>(std::get<owner>(sums_)); }); });
    Tensors whole{empty<T>(Shape{count_}, D{})...};
    for_each_owner([&](auto owner) {
      for_each_device<D...>([&](auto i) { place_piece(std::get<owner>(sums_), std::get<i>(whole), 0, begin(owner)); });
    });
    return whole;
  }

 private:
  template <std::size_t Number>
  using At = std::tuple_element_t<Number, std::tuple<D...>>;

  /// Shares begin at multiples of this many elements, for the kernels' vectors.
  static constexpr std::int64_t block = 64;

  [[nodiscard]] std::int64_t begin(std::size_t owner) const noexcept {
    return std::min(blocks_.begin(owner) * block, count_);
  }
  template <class F>
  void for_each_owner(F&& f) const {
    for_each_device<D...>([&](auto i) {
      if (i < owners_) f(i);
    });
  }

  const Tensors& parts_;
  std::int64_t count_;
  std::size_t owners_;  // with a share each: the first device alone, or all
  EvenSplit blocks_;
  Tensors sums_;  // the shares; empty on a device without one
};

/// The parts, all of one shape, combined in the order of the devices, on each of them.
template <ReduceOp Op, Element T, Device... D>
[[nodiscard]] std::tuple<Tensor<T, D>...> all_reduced(const std::tuple<Tensor<T, D>...>& parts) {
  using Tensors = std::tuple<Tensor<T, D>...>;
  const Shape shape = std::get<0>(parts).shape();
  const std::int64_t count = shape.count();
  if (sizeof...(D) == 1 || count == 0) return parts;
  const Tensors flat = std::apply([&](const auto&... part) { return Tensors{reshape(part, Shape{count})...}; }, parts);
  Tensors result;
  if (!reduced_by_library<Op>(flat, result)) result = AllReduce<Op, T, D...>(flat, count).run();
  return std::apply([&shape](auto&... whole) { return Tensors{reshape(std::move(whole), shape)...}; }, result);
}

}  // namespace situ::internal
