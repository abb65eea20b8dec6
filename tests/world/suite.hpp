// SPDX-License-Identifier: Apache-2.0
// What the collectives of ranks give, bit for bit as one process with as many devices: for ranks by MPI (program.cpp) and for
// threads (unit/world.cpp). Every rank makes what the others have, too.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <situ/world.hpp>

namespace suite {

using namespace situ;

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("expected: " + what);
}

/// The term of a rank: of values whose sums are rounded, and depend on the order.
template <Element T>
Tensor<T> term(int rank, const Shape& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const std::int64_t number = (i * 7919 + rank * 104729) % 1009;
    if constexpr (FloatingElement<T>)
      values.push_back(static_cast<T>(0.37f * static_cast<float>(number - 500) / static_cast<float>(1 + rank)));
    else values.push_back(static_cast<T>(number));
  }
  return from_span<T>(values, shape);
}
template <Element T, Device A, Device B>
void expect_bits(const Tensor<T, A>& found, const Tensor<T, B>& wanted, const std::string& what) {
  const Tensor<T> a = found.template copy_to<Cpu>();
  const Tensor<T> b = wanted.template copy_to<Cpu>();
  expect(a.shape() == b.shape(), what + ": shape " + b.shape().to_string() + ", found " + a.shape().to_string());
  expect(a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0, what);
}

/// What one process gives that has the terms of `ranks` ranks on as many devices: their sum.
template <ReduceOp Op, Element T, class... Terms>
Tensor<T> combined_by_one_process(int ranks, const Shape& shape, const Terms&... terms) {
  if constexpr (sizeof...(Terms) < 4) {
    if (static_cast<int>(sizeof...(Terms)) < ranks) {
      return combined_by_one_process<Op, T>(ranks, shape, terms..., term<T>(static_cast<int>(sizeof...(Terms)), shape));
    }
  }
  if constexpr (sizeof...(Terms) == 0) return {};
  else return gather(all_reduce(as<Partial<Op>>(terms...)), cpu);
}

template <ReduceOp Op, Element T, Device D>
void sums(const Group<D>& group, const Shape& shape) {
  const std::string what = std::string(dtype_name<T>()) + " " + shape.to_string() + " on " + D::name();
  const Tensor<T> wanted = combined_by_one_process<Op, T>(group.size(), shape);
  const Spread mine = group.template as<Partial<Op>>(term<T>(group.rank().number, shape).template to<D>());
  expect_bits(local(all_reduce(mine)), wanted, "all_reduce of " + what);
  Pending later = group.all_reduce_async(mine);
  Pending cut = group.template reduce_scatter_async<0>(mine);
  expect_bits(local(std::move(later).wait()), wanted, "all_reduce_async of " + what);
  const Spread piece = std::move(cut).wait();
  expect_bits(local(piece), local(group.template shard<0>(wanted)), "reduce_scatter<0> of " + what);
  if (shape.rank() > 1) {
    const Spread second = group.template reduce_scatter<1>(mine);
    expect_bits(local(second), local(group.template shard<1>(wanted)), "reduce_scatter<1> of " + what);
  }
}

template <Element T, Device D>
void moves(const Group<D>& group, const Shape& shape) {
  const std::string what = shape.to_string() + " on " + D::name();
  const Tensor<T> whole = term<T>(0, shape);
  const Spread rows = group.template shard<0>(whole);
  const Spread columns = group.template shard<1>(whole);
  expect_bits(local(all_gather(rows)), whole, "all_gather of rows of " + what);
  expect_bits(local(group.all_gather(columns)), whole, "all_gather of columns of " + what);
  expect_bits(local(reshard<1>(rows)), local(columns), "reshard<1> of " + what);
  expect_bits(local(group.template reshard<0>(columns)), local(rows), "reshard<0> of " + what);
  const Spread same = group.template as<Sharded<1>>(local(columns));
  expect(same.shape() == shape, "as: the shape of the whole");
  Pending gathered = group.all_gather_async(columns);
  Pending cut = group.template reshard_async<1>(rows);
  expect_bits(local(std::move(gathered).wait()), whole, "all_gather_async of " + what);
  expect_bits(local(std::move(cut).wait()), local(columns), "reshard_async of " + what);
  const Rank last(group.size() - 1);
  const auto put_together = group.gather(columns, last);
  expect(put_together.has_value() == (group.rank() == last), "gather: on one rank");
  if (put_together) expect_bits(*put_together, whole, "gather of " + what);
  const Spread given = group.replicate(term<T>(group.rank().number, shape), last);
  expect_bits(local(given), term<T>(last.number, shape), "replicate of " + what);
}

/// Extents that divide evenly among the ranks and not, none, fewer than ranks; few bytes and many.
template <Device D>
void collectives(const Group<D>& group) {
  for (const Shape& shape : {Shape{5, 3}, Shape{0, 3}, Shape{1, 4}, Shape{12, 8}, Shape{70, 51}}) {
    sums<ReduceOp::sum, float>(group, shape);
    moves<float>(group, shape);
  }
  sums<ReduceOp::sum, bfloat16>(group, Shape{70, 81});
  sums<ReduceOp::sum, bfloat16>(group, Shape{6, 7});
  sums<ReduceOp::sum, std::uint8_t>(group, Shape{11});
  sums<ReduceOp::max, float>(group, Shape{9, 2});
  moves<float>(group, Shape{2, 3, 5});
  const Spread one = group.template as<Partial<>>(full<std::int64_t>({}, group.rank().number + 1, D{}));
  expect(local(group.all_reduce(one)).template to<Cpu>().item() ==
             group.size() * (group.size() + 1) / 2,
         "a sum of numbers");
}

/// Two groups make a mesh: the sum over one, then over the other, is that over all.
template <Device D>
void two_levels(const Group<D>& group) {
  if (group.size() != 4) return;
  const Group inner = group.split(group.rank().number / 2);
  const Group outer = group.split(group.rank().number % 2);
  const Tensor<std::int64_t, D> mine = full<std::int64_t>({3}, group.rank().number, D{});
  const Tensor<std::int64_t, D> some = local(inner.all_reduce(inner.template as<Partial<>>(mine)));
  const Tensor<std::int64_t, D> all = local(outer.all_reduce(outer.template as<Partial<>>(some)));
  expect_bits(all, full<std::int64_t>({3}, 6), "the sum over both groups");
  bool refused = false;
  try {
    static_cast<void>(outer.all_reduce(inner.template as<Partial<>>(mine)));
  } catch (const ValueError&) {
    refused = true;
  }
  expect(refused, "a value of another group is refused");
}

}  // namespace suite
