// SPDX-License-Identifier: Apache-2.0
// `all_reduce`: the sum or the mean of one tensor of each device, on all of them.
//
// The positions are divided among the devices; each fetches its share from all others, adds in the order of the
// devices, and gives the result to the others. So every device sends and receives about twice a tensor's bytes, however
// many there are; every sum is computed once, in one order that depends neither on sizes nor on timing. See
// docs/decisions/all-reduce.md.
//
// Rejected: a ring, which moves as many bytes in more steps, and whose order of summation differs from position to
// position; to fetch all on one device, whose link then carries everything.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/nccl.hpp>
#include <situ/distributed/scatter.hpp>
#include <situ/expression/arithmetic.hpp>
#include <situ/expression/concept.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/uses.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

namespace internal {

template <ReduceOp Op, class T>
inline constexpr bool reducible = Op == ReduceOp::sum ? NumberElement<T> : FloatingElement<T>;

/// Up to so many bytes are added on the first device alone, which takes half as many copies. Not measured.
inline constexpr std::int64_t reduced_at_once = std::int64_t{64} << 10;

/// Work of `Reader` put into its stream from now on may read `x`, after what is now in the stream that wrote it. Told
/// before any of the copies is issued, lest a copy waits for others in that stream that have nothing to do with it.
template <Device Reader, Element T, Device D>
void announce_read(const Tensor<T, D>& x) {
  if constexpr (!HostDevice<Reader> && !HostDevice<D> && !std::same_as<Reader, D>)
    on_backend<Reader>([](const auto&) {}, reads(x));
}

/// The same by NCCL, into `sums`; false where that cannot be.
template <ReduceOp Op, Element T, Device... D>
[[nodiscard]] bool reduced_by_library(const std::tuple<Tensor<T, D>...>& parts, std::tuple<Tensor<T, D>...>& sums) {
  if constexpr (((!HostDevice<D> && D::backend::present) && ...)) {
    return [&]<std::size_t... Number>(std::index_sequence<Number...>) {
      const std::array backends{D::queue()...};
      if (!all_reduce_reaches(std::span(backends))) return false;
      sums = {empty<T>(std::get<Number>(parts).shape(), D{})...};
      (before_write(backends[Number], std::get<Number>(sums).storage()), ...);
      (before_read(backends[Number], std::get<Number>(parts).storage()), ...);
      const std::array<const T*, sizeof...(D)> from{std::get<Number>(parts).element_pointer()...};
      const std::array<T*, sizeof...(D)> to{static_cast<T*>(std::get<Number>(sums).storage().data())...};
      all_reduce_elements<T>(std::span(backends), Op == ReduceOp::mean, std::span(from), std::span(to),
                             std::get<0>(parts).size());
      return true;
    }(std::index_sequence_for<D...>{});
  } else {
    return false;
  }
}

/// The sum or mean of vectors of `count` elements without gaps, one on each of the devices.
template <ReduceOp Op, Element T, Device... D>
class AllReduce {
 public:
  using Tensors = std::tuple<Tensor<T, D>...>;
  static_assert(sizeof...(D) <= 31, "all_reduce adds in one expression, which has room for 31 tensors");

  AllReduce(const Tensors& parts, std::int64_t count)
      : parts_(parts), count_(count),
        owners_(count * static_cast<std::int64_t>(sizeof(T)) <= reduced_at_once ? 1 : sizeof...(D)),
        blocks_((count + block - 1) / block, owners_) {}

  [[nodiscard]] Tensors run() {
    for_each_owner([&](auto owner) {
      for_each_device([&](auto i) { announce_read<At<owner>>(std::get<i>(parts_)); });
    });
    for_each_owner([&](auto owner) { std::get<owner>(sums_) = sum_on<At<owner>>(share(owner)); });
    if (owners_ == 1) return Tensors{std::get<0>(sums_).template to<D>()...};
    for_each_owner([&](auto owner) {
      for_each_device([&](auto i) { announce_read<At<i>>(std::get<owner>(sums_)); });
    });
    Tensors whole{empty<T>(Shape{count_}, D{})...};
    for_each_owner([&](auto owner) {
      for_each_device([&](auto i) { place_rows(std::get<owner>(sums_), std::get<i>(whole), share(owner).start); });
    });
    return whole;
  }

 private:
  template <std::size_t Number>
  using At = std::tuple_element_t<Number, std::tuple<D...>>;

  /// Shares begin at multiples of so many elements, for the kernels' vectors.
  static constexpr std::int64_t block = 64;

  [[nodiscard]] Range share(std::size_t owner) const noexcept {
    const Range range = blocks_[owner];
    return {range.start * block, std::min(range.stop * block, count_), 1};
  }

  /// Calls `f` with the number of each device as a constant.
  template <class F>
  static void for_each_device(F&& f) {
    [&f]<std::size_t... Number>(std::index_sequence<Number...>) {
      (f(std::integral_constant<std::size_t, Number>{}), ...);
    }(std::index_sequence_for<D...>{});
  }
  template <class F>
  void for_each_owner(F&& f) const {
    for_each_device([&](auto i) {
      if (i < owners_) f(i);
    });
  }

  /// The share of `Owner`, fetched from everywhere and added in the order of the devices, in one pass.
  template <Device Owner>
  [[nodiscard]] Tensor<T, Owner> sum_on(const Range& positions) const {
    return std::apply(
        [&positions](const auto&... part) {
          const auto sum = (... + part(positions).template to<Owner>());
          if constexpr (Op == ReduceOp::mean) return evaluated(sum / static_cast<int>(sizeof...(D)));
          else return evaluated(sum);
        },
        parts_);
  }

  const Tensors& parts_;
  std::int64_t count_;
  std::size_t owners_;  // of a share each: the first device alone, or all
  EvenSplit blocks_;
  Tensors sums_;  // the shares; empty where there is none
};

inline void check_equal_shapes(const Shape& first, const Shape& shape, int part) {
  if (shape == first) return;
  throw ShapeError("all_reduce: part " + std::to_string(part) + " has shape " + shape.to_string() + ", part 0 has " +
                   first.to_string() + "; all shapes must be equal");
}

template <ReduceOp Op, Element T, Device... D>
[[nodiscard]] std::tuple<Tensor<T, D>...> all_reduced(const Tensor<T, D>&... parts) {
  using Tensors = std::tuple<Tensor<T, D>...>;
  const Tensors all{parts...};
  const Shape shape = std::get<0>(all).shape();
  int number = 0;
  (check_equal_shapes(shape, parts.shape(), number++), ...);
  const std::int64_t count = shape.count();
  if (sizeof...(D) == 1 || count == 0) return all;
  const Tensors flat{reshape(parts, Shape{count})...};
  Tensors result;
  if (!reduced_by_library<Op>(flat, result)) result = AllReduce<Op, T, D...>(flat, count).run();
  return std::apply([&shape](auto&... whole) { return Tensors{reshape(std::move(whole), shape)...}; }, result);
}

}  // namespace internal

/// The sum, or with `ReduceOp::mean` the mean, of tensors of equal shape on several devices, on each of these devices:
/// of gradients, after each device has computed on its part of a batch. GPUs exchange the elements among themselves, by
/// peer access where they have it. All devices get the same bits, and the same from run to run: elements are added in
/// the order of the arguments; 16-bit floats in `float`, rounded once. Throws `ShapeError` for shapes that differ.
///
/// Among GPUs alone that are not one GPU of the machine, NCCL adds where it is installed: in an order of its own, and
/// 16-bit floats may be rounded after each addition. SITU_NCCL=0 in the environment does without it.
///
///     auto [g0, g1] = all_reduce<ReduceOp::mean>(gradient0, gradient1);   // (n, m) on cuda:0 and (n, m) on cuda:1
///     auto sums = all_reduce(parts);                                      // a tuple, as `scatter` gives it
template <ReduceOp Op = ReduceOp::sum, class... X>
  requires internal::Parts<X...> && internal::reducible<Op, internal::common_element_t<X...>>
[[nodiscard]] std::tuple<Tensor<value_type_t<X>, device_t<X>>...> all_reduce(const X&... parts) {
  return internal::all_reduced<Op>(eval(parts)...);
}
template <ReduceOp Op = ReduceOp::sum, class... X>
  requires internal::Parts<X...> && internal::reducible<Op, internal::common_element_t<X...>>
[[nodiscard]] std::tuple<Tensor<value_type_t<X>, device_t<X>>...> all_reduce(const std::tuple<X...>& parts) {
  return std::apply([](const X&... part) { return all_reduce<Op>(part...); }, parts);
}

// The guards: never defined, see distributed/diagnostics.hpp.
template <ReduceOp Op = ReduceOp::sum, class T, class D, class... Rest>
placed<T, D> all_reduce(const placed<T, D>&, typename element_types_of_the_parts_differ<T>::template fix_call_cast<T>,
                        const Rest&...);
template <ReduceOp Op = ReduceOp::sum, class T, class D, class Second, class... Rest>
placed<T, D> all_reduce(const placed<T, D>&, const placed<T, Second>&,
                        typename element_types_of_the_parts_differ<T>::template fix_call_cast<T>, const Rest&...);
template <ReduceOp Op = ReduceOp::sum>
void all_reduce(element_types_of_a_tuple_differ::fix_call_cast);
template <ReduceOp Op = ReduceOp::sum, class... Rest>
  requires(Op == ReduceOp::sum)
void all_reduce(elements_have_no_sum::fix_call_cast, const Rest&...);
template <ReduceOp Op = ReduceOp::sum, class... Rest>
  requires(Op == ReduceOp::mean)
void all_reduce(elements_have_no_mean::fix_call_cast, const Rest&...);

}  // namespace situ
