// SPDX-License-Identifier: Apache-2.0
// Sums over ranks. They are ours, not MPI's, whose order depends on the algorithm and hence on the count: every rank
// receives a share of the positions from all, adds in the order of the ranks, and sends the result to all. all_reduce
// over devices (distributed/all_reduce.hpp) does the same with the same expressions, so the results are bitwise equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/ops/as_elements.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/view.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/exchange.hpp>
#include <situ/world/nccl.hpp>
#include <situ/world/transport.hpp>

namespace situ::internal::world {

/// Up to this many bytes, every rank receives all terms and adds them itself: one exchange instead of two. (Measured on
/// one machine with shared memory; see docs/decisions/world.md.)
inline constexpr std::size_t gathered_at_once = std::size_t{8} << 10;

/// Reduces `row(0)` to `row(count - 1)`, vectors with the terms of two or more ranks, in this order into `to`, which
/// nothing else reads, from `begin` on; 16-bit floats in `float`, rounded once.
template <ReduceOp Op, Element T, Device H, class Row>
void combine_in_order(int count, const Row& row, const Tensor<T, H>& to, std::int64_t begin) {
  using Computed = compute_t<T>;
  const auto term = [&row](int number) { return as_elements<Computed>(row(number)); };
  Tensor<Computed, H> total = term(0);
  const auto put = [&](const auto& sum) {
    Storage<H> storage = to.storage();
    const Layout place = sliced(to.layout(), 0, begin, begin + total.size());
    assign(storage, place, as_elements<T>(sum));
  };
  int next = 1;
  for (; count - next > 3; next += 3) total = combined<Op>(total, term(next), term(next + 1), term(next + 2));
  if (count - next == 3) put(combined<Op>(total, term(next), term(next + 1), term(next + 2)));
  else if (count - next == 2) put(combined<Op>(total, term(next), term(next + 1)));
  else put(combined<Op>(total, term(next)));
}

/// Reduces the terms of all ranks for this rank's part of the vector `x`, divided as in `parts`, into `to` from `begin`
/// on. The rank's own term is not copied.
template <ReduceOp Op, Element T, Device H>
void combine_share(Collective& collective, const Tensor<T, H>& x, std::vector<Part> parts, const Tensor<T, H>& to,
                   std::int64_t begin) {
  const int rank = collective.rank();
  Part& own = parts[static_cast<std::size_t>(rank)];
  const auto first = static_cast<std::int64_t>(own.begin / sizeof(T));
  const auto count = static_cast<std::int64_t>(own.bytes / sizeof(T));
  const Tensor<T, H> others = empty<T>(Shape{product_of_extents(collective.size() - 1, count, "all_reduce")}, H{});
  std::vector<Part> received;
  for (int of = 0; of < collective.size(); ++of) {
    const auto place = static_cast<std::size_t>(of < rank ? of : of - 1);
    received.push_back(of == rank ? Part{} : Part{place * own.bytes, own.bytes});
  }
  own.bytes = 0;
  collective.all_to_all(bytes_of(x), parts, bytes_of_new(others), received, x, others);
  const auto term = [&](int of) {
    if (of == rank) return piece(x, 0, first, first + count);
    const std::int64_t place = of < rank ? of : of - 1;
    return piece(others, 0, place * count, (place + 1) * count);
  };
  if (count > 0) combine_in_order<Op>(collective.size(), term, to, begin);
}

template <ReduceOp Op, Element T, Device D>
[[nodiscard]] Tensor<T, D> all_reduce(Collective& collective, const Tensor<T, D>& x) {
  using H = Station<D>;
  const int ranks = collective.size();
  const std::int64_t count = x.size();
  if (count == 0) return x;
#if defined(SITU_CUDA)
  // Maximum and minimum are our own: NCCL does not document NaN.
  if constexpr (Op == ReduceOp::sum && cuda::has_nccl_type<T> && requires { D::ordinal; }) {
    if (std::optional<Tensor<T, D>> sum = summed_by_nccl(collective, x)) return *std::move(sum);
  }
#endif
  const Tensor<T, H> flat = reshape(packed(x), Shape{count});
  const Tensor<T, H> whole = empty<T>(Shape{count}, H{});
  if (const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T); bytes <= gathered_at_once) {
    const Tensor<T, H> terms = empty<T>(Shape{product_of_extents(ranks, count, "all_reduce")}, H{});
    const std::vector<Part> parts = equal_parts(ranks, bytes);
    collective.all_gather(all_bytes_of(flat), bytes_of_new(terms), parts, flat, terms);
    combine_in_order<Op>(ranks, [&](int of) { return piece(terms, 0, of * count, (of + 1) * count); }, whole, 0);
  } else {
    const std::vector<Part> parts = cut_parts(count, ranks, sizeof(T));
    const Part own = parts[static_cast<std::size_t>(collective.rank())];
    combine_share<Op>(collective, flat, parts, whole, static_cast<std::int64_t>(own.begin / sizeof(T)));
    // The share is already in place.
    collective.all_gather(all_bytes_of(whole).subspan(own.begin, own.bytes), bytes_of_new(whole), parts, whole);
  }
  return reshape(whole, x.shape()).template to<D>();
}

template <ReduceOp Op, Element T, Device D>
[[nodiscard]] Tensor<T, D> reduce_scatter(Collective& collective, const Tensor<T, D>& x, int axis) {
  const Tensor<T, Station<D>> front = axis_in_front(x, axis);
  const std::int64_t extent = front.shape()[0];
  const std::int64_t beside = elements_beside(x.shape(), axis);
  const std::vector<Part> parts = cut_parts(extent, collective.size(), static_cast<std::size_t>(beside) * sizeof(T));
  const EvenSplit split(extent, static_cast<std::size_t>(collective.size()));
  const Shape own = shape_in_front(x.shape(), axis, split.extent(static_cast<std::size_t>(collective.rank())));
  const Tensor<T, Station<D>> sum = empty<T>(Shape{own.count()}, Station<D>{});
  combine_share<Op>(collective, reshape(front, Shape{front.size()}), parts, sum, 0);
  return axis_put_back<D>(reshape(sum, own), axis);
}

}  // namespace situ::internal::world
