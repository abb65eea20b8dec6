// SPDX-License-Identifier: Apache-2.0
// The collectives of ranks over tensors, each a function of a `Collective` that has been called on all ranks. Sums are
// in sums.hpp. Elements on GPUs are copied through page-locked host memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/device.hpp>
#include <situ/device/pinned.hpp>
#include <situ/distributed/all_reduce.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/ops/axes.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/transport.hpp>

namespace situ::internal::world {

/// The memory from which elements of device `D` are sent.
template <Device D>
using Station = std::conditional_t<HostDevice<D>, D, Pinned>;

/// The elements without gaps, in memory from which they can be sent.
template <Element T, Device D>
[[nodiscard]] Tensor<T, Station<D>> packed(const Tensor<T, D>& x) {
  Tensor<T, Station<D>> here = x.template to<Station<D>>();
  if (here.layout().is_row_major()) return here;
  return row_major_copy<Station<D>>(here);
}

template <Element T, Device H>
[[nodiscard]] const std::byte* bytes_of(const Tensor<T, H>& x) {
  return x.size() == 0 ? nullptr : reinterpret_cast<const std::byte*>(x.element_pointer());
}
/// The bytes of a tensor that nothing has read or written yet.
template <Element T, Device H>
[[nodiscard]] std::byte* bytes_of_new(const Tensor<T, H>& x) {
  return x.size() == 0 ? nullptr : static_cast<std::byte*>(x.storage().data());
}
template <Element T, Device H>
[[nodiscard]] std::span<const std::byte> all_bytes_of(const Tensor<T, H>& x) {
  return {bytes_of(x), static_cast<std::size_t>(x.size()) * sizeof(T)};
}

/// One part of `bytes` bytes for each rank, one after the other.
[[nodiscard]] inline std::vector<Part> equal_parts(int ranks, std::size_t bytes) {
  std::vector<Part> parts;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) parts.push_back({rank * bytes, bytes});
  return parts;
}
/// `count` items of `bytes` bytes each, divided among the ranks.
[[nodiscard]] inline std::vector<Part> cut_parts(std::int64_t count, int ranks, std::size_t bytes) {
  const EvenSplit split(count, static_cast<std::size_t>(ranks));
  std::vector<Part> parts;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    parts.push_back(
        {static_cast<std::size_t>(split.begin(rank)) * bytes, static_cast<std::size_t>(split.extent(rank)) * bytes});
  }
  return parts;
}

/// With axis `axis` in front, without gaps, in memory from which it can be sent; and the inverse.
template <Element T, Device D>
[[nodiscard]] Tensor<T, Station<D>> axis_in_front(const Tensor<T, D>& x, int axis) {
  return packed(axis == 0 ? x : Tensor<T, D>(moveaxis(x, axis, 0)));
}
template <Device D, Element T, Device H>
[[nodiscard]] Tensor<T, D> axis_put_back(const Tensor<T, H>& x, int axis) {
  return packed(axis == 0 ? x : Tensor<T, H>(moveaxis(x, 0, axis))).template to<D>();
}
/// `shape` with axis `axis`, of this extent, in front.
[[nodiscard]] inline Shape shape_in_front(const Shape& shape, int axis, std::int64_t extent) {
  Shape front = shape;
  for (int i = axis; i > 0; --i) front.set(i, shape[i - 1]);
  front.set(0, extent);
  return front;
}
/// The number of elements at each position along an axis.
[[nodiscard]] inline std::int64_t elements_beside(const Shape& shape, int axis) {
  Shape beside = shape;
  beside.erase(axis);
  return beside.count();
}

/// All pieces along an axis of a value of this shape, gathered on every rank.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> all_gather(Collective& collective, const Tensor<T, D>& x, int axis, const Shape& shape) {
  using H = Station<D>;
  const Tensor<T, H> front = axis_in_front(x, axis);
  const Tensor<T, H> whole = empty<T>(shape_in_front(shape, axis, shape[axis]), H{});
  const auto beside = static_cast<std::size_t>(elements_beside(shape, axis));
  const std::vector<Part> parts = cut_parts(shape[axis], collective.size(), beside * sizeof(T));
  collective.all_gather(all_bytes_of(front), bytes_of_new(whole), parts, front, whole);
  return axis_put_back<D>(whole, axis);
}

/// ... gathered on rank `root` alone.
template <Element T, Device D>
[[nodiscard]] std::optional<Tensor<T, D>> gather(Collective& collective, const Tensor<T, D>& x, int axis,
                                                 const Shape& shape, int root) {
  using H = Station<D>;
  const bool here = collective.rank() == root;
  const Tensor<T, H> front = axis_in_front(x, axis);
  const Tensor<T, H> whole = here ? empty<T>(shape_in_front(shape, axis, shape[axis]), H{}) : Tensor<T, H>();
  const auto beside = static_cast<std::size_t>(elements_beside(shape, axis));
  std::vector<Part> sent(static_cast<std::size_t>(collective.size()));
  std::vector<Part> received(sent.size());
  sent[static_cast<std::size_t>(root)] = {0, all_bytes_of(front).size()};
  if (here) received = cut_parts(shape[axis], collective.size(), beside * sizeof(T));
  collective.all_to_all(bytes_of(front), sent, bytes_of_new(whole), received, front, whole);
  if (!here) return std::nullopt;
  return axis_put_back<D>(whole, axis);
}

/// The pieces along axis `from` of a value of this shape, sharded along axis `to` instead.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> all_to_all(Collective& collective, const Tensor<T, D>& x, int from, int to,
                                      const Shape& shape) {
  using H = Station<D>;
  if (from == to) return x;
  const auto ranks = static_cast<std::size_t>(collective.size());
  const EvenSplit pieces(shape[from], ranks);
  const EvenSplit wanted(shape[to], ranks);
  const std::int64_t own = wanted.extent(static_cast<std::size_t>(collective.rank()));
  const Tensor<T, H> front = axis_in_front(x, to);
  const std::int64_t others = elements_beside(shape, to) / std::max<std::int64_t>(shape[from], 1);
  const std::vector<Part> sent =
      cut_parts(shape[to], collective.size(), static_cast<std::size_t>(elements_beside(x.shape(), to)) * sizeof(T));
  std::vector<Part> received;
  std::size_t end = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    received.push_back({end, static_cast<std::size_t>(own * others * pieces.extent(rank)) * sizeof(T)});
    end += received.back().bytes;
  }
  const Tensor<T, H> flat = empty<T>(Shape{static_cast<std::int64_t>(end / sizeof(T))}, H{});
  collective.all_to_all(bytes_of(front), sent, bytes_of_new(flat), received, front, flat);
  // A rank sends this rank's positions along `to` and its own along `from`.
  Tensor<T, H> whole = empty<T>(shape_in_front(shape, to, own), H{});
  const int place = from < to ? from + 1 : from;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Shape block = whole.shape();
    block.set(place, pieces.extent(rank));
    const auto begin = static_cast<std::int64_t>(received[rank].begin / sizeof(T));
    if (block.count() > 0)
      place_piece(reshape(Tensor<T, H>(flat(IndexRange{begin, begin + block.count(), 1})), block), whole, place,
                  pieces.begin(rank));
  }
  return axis_put_back<D>(whole, to);
}

/// The elements of rank `root`, on every rank.
template <Element T, Device D>
[[nodiscard]] Tensor<T, D> broadcast(Collective& collective, const Tensor<T, D>& x, int root) {
  using H = Station<D>;
  const Tensor<T, H> from = packed(x);
  const Tensor<T, H> copy = collective.rank() == root ? from : empty<T>(x.shape(), H{});
  auto* const bytes = x.size() == 0 ? nullptr : const_cast<std::byte*>(bytes_of(copy));  // only the root's are read
  const std::span<std::byte> all(bytes, static_cast<std::size_t>(x.size()) * sizeof(T));
  collective.broadcast(all, root, from, copy);
  return collective.rank() == root ? x : copy.template to<D>();
}

/// The shapes of a tensor on all ranks, indexed by rank.
[[nodiscard]] inline std::vector<Shape> all_shapes(Collective& collective, const Shape& own) {
  if (collective.size() == 1) return {own};
  constexpr std::size_t words = max_rank + 1;
  const auto ranks = static_cast<std::size_t>(collective.size());
  const auto numbers = std::make_shared<std::vector<std::int64_t>>((ranks + 1) * words);
  std::int64_t* const mine = numbers->data() + ranks * words;
  mine[0] = own.rank();
  std::copy(own.begin(), own.end(), mine + 1);
  const std::vector<Part> parts = equal_parts(collective.size(), words * sizeof(std::int64_t));
  collective.all_gather(std::as_bytes(std::span(mine, words)), reinterpret_cast<std::byte*>(numbers->data()), parts,
                        numbers);
  std::vector<Shape> shapes;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t* const word = numbers->data() + rank * words;
    shapes.push_back(Shape(std::span<const std::int64_t>(word + 1, static_cast<std::size_t>(word[0]))));
  }
  return shapes;
}

/// The first rank whose value differs from that of rank 0, or 0.
[[nodiscard]] inline int first_that_differs(Collective& collective, std::uint64_t own) {
  const auto ranks = static_cast<std::size_t>(collective.size());
  const auto numbers = std::make_shared<std::vector<std::uint64_t>>(ranks + 1, own);
  const std::vector<Part> parts = equal_parts(collective.size(), sizeof(own));
  collective.all_gather(std::as_bytes(std::span(&numbers->back(), 1)), reinterpret_cast<std::byte*>(numbers->data()),
                        parts, numbers);
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    if ((*numbers)[rank] != numbers->front()) return static_cast<int>(rank);
  }
  return 0;
}

}  // namespace situ::internal::world
