// SPDX-License-Identifier: Apache-2.0
// Every case of indexing/cases.txt: reading and writing by index and by mask, grids, contractions and distances, as NumPy has them.
#include "golden.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <situ/distance.hpp>
#include <situ/einsum.hpp>
#include <situ/indexing.hpp>

namespace {

using namespace situ;
using golden::Case;
using golden::expect;
template <class D>
using Numbers = Tensor<double, D>;
template <class D>
using Positions = Tensor<std::int64_t, D>;

template <class D>
Numbers<D> reduced(const Case& c, const Numbers<D>& x, const Positions<D>& index, const Numbers<D>& source) {
  const int axis = c.arg(1);
  const IncludeSelf self = c.arg(2) != 0 ? IncludeSelf::yes : IncludeSelf::no;
  switch (c.arg(0)) {
    case 0: return scatter_reduce<ScatterReduction::sum>(x, axis, index, source, self);
    case 1: return scatter_reduce<ScatterReduction::prod>(x, axis, index, source, self);
    case 2: return scatter_reduce<ScatterReduction::min>(x, axis, index, source, self);
    case 3: return scatter_reduce<ScatterReduction::max>(x, axis, index, source, self);
    default: return scatter_reduce<ScatterReduction::mean>(x, axis, index, source, self);
  }
}

template <class D>
Numbers<D> written(const Case& c, Numbers<D> x, const Tensor<bool, D>& mask, const Numbers<D>& values) {
  if (c.arg(0) == 0) x.at(mask) = values;
  else if (c.arg(0) == 1) x.at(mask) += values;
  else x.at(mask) = 0.5;
  return x;
}

/// False for an operation that reads and writes no mask.
template <class D>
bool run_mask(const Case& c) {
  const auto x = golden::operand<double, D>(c.inputs.at(0));
  if (c.op == "count_nonzero") {
    switch (c.args.size()) {
      case 0: return expect(c, count_nonzero(x)), true;
      case 1: return expect(c, count_nonzero(x, c.arg(0))), true;
      default: return expect(c, count_nonzero(x, {c.arg(0), c.arg(1)})), true;
    }
  }
  if (c.op != "nonzero" && !c.op.starts_with("nonzero_") && !c.op.starts_with("mask")) return false;
  const Tensor<bool, D> mask = golden::operand<std::int64_t, D>(c.inputs.at(1)) != 0;
  if (c.op == "nonzero") return expect(c, nonzero(mask)), true;
  if (c.op == "nonzero_bounded") return expect(c, nonzero(mask, {.size = c.arg(0), .fill = c.arg(1)})), true;
  if (c.op == "mask_index") return expect(c, x(mask)), true;
  if (c.op == "masked_select") return expect(c, masked_select(x, mask)), true;
  if (c.op == "masked_select_bounded") {
    return expect(c, masked_select(x, mask, {.size = c.arg(0), .fill = c.args[1]})), true;
  }
  if (c.op == "masked_fill") return expect(c, eval(masked_fill(x, mask, c.args[0]))), true;
  const auto values = golden::operand<double, D>(c.inputs.at(2));
  if (c.op == "mask_write") return expect(c, written<D>(c, x, mask, values)), true;
  REQUIRE(c.op == "masked_scatter");
  return expect(c, masked_scatter(x, mask, values)), true;
}

template <class D>
Numbers<D> result_of(const Case& c) {
  const auto numbers = [&](std::size_t i) { return golden::operand<double, D>(c.inputs.at(i)); };
  const auto positions = [&](std::size_t i) { return golden::operand<std::int64_t, D>(c.inputs.at(i)); };
  const Numbers<D> x = numbers(0);
  if (c.op == "gather") return gather(x, c.arg(0), positions(1));
  if (c.op == "scatter") return scatter(x, c.arg(0), positions(1), numbers(2));
  if (c.op == "scatter_add") return scatter_add(x, c.arg(0), positions(1), numbers(2));
  if (c.op == "take") return take(x, positions(1), c.arg(0));
  if (c.op == "scatter_reduce") return reduced<D>(c, x, positions(1), numbers(2));
  if (c.op == "index_add") return index_add(x, c.arg(0), positions(1), numbers(2));
  if (c.op == "index_copy") return index_copy(x, c.arg(0), positions(1), numbers(2));
  if (c.op == "integer_index") return x(positions(1), positions(2));
  if (c.op == "gather_nd") return gather_nd(x, positions(1));
  if (c.op == "index_put") {
    return index_put(x, {positions(1), positions(2)}, numbers(3), c.arg(0) != 0 ? Accumulate::yes : Accumulate::no);
  }
  if (c.op == "meshgrid") {
    const std::array<Numbers<D>, 2> grids =
        c.arg(0) != 0 ? meshgrid<Indexing::ij>(x, numbers(1)) : meshgrid(x, numbers(1));
    return grids.at(static_cast<std::size_t>(c.arg(1)));
  }
  if (c.op == "tensordot") {
    const std::vector<std::int64_t> axes(c.args.begin() + 1, c.args.end());
    const auto count = static_cast<std::size_t>(c.arg(0));
    return tensordot(x, numbers(1), std::span(axes).first(count), std::span(axes).last(count));
  }
  REQUIRE(c.op == "cdist");
  return cdist(x, numbers(1), NormOrder{c.arg(0) == 0 ? std::numeric_limits<double>::infinity() : c.args.at(0)});
}

}  // namespace

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("reading and writing by index and by mask give what NumPy gives", D, Cuda<0>) {
#else
TEST_CASE_TEMPLATE("reading and writing by index and by mask give what NumPy gives", D, Cpu, Pinned) {
#endif
  const std::vector<Case> cases = golden::read_cases("indexing/cases.txt");
  REQUIRE(cases.size() >= 1000);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    if (!run_mask<D>(c)) expect(c, result_of<D>(c));
  }
}
