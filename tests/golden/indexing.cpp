// SPDX-License-Identifier: Apache-2.0
// Every case of indexing/cases.txt: reading and writing by index, grids, contractions and distances, as NumPy has them.
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
#if defined(SITU_CUDA)
using D = Cuda<0>;
#else
using D = Cpu;
#endif
using Numbers = Tensor<double, D>;
using Positions = Tensor<std::int64_t, D>;

Numbers reduced(const Case& c, const Numbers& x, const Positions& index, const Numbers& source) {
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

Numbers result_of(const Case& c) {
  const auto numbers = [&](std::size_t i) { return golden::operand<double, D>(c.inputs.at(i)); };
  const auto positions = [&](std::size_t i) { return golden::operand<std::int64_t, D>(c.inputs.at(i)); };
  const Numbers x = numbers(0);
  if (c.op == "scatter_reduce") return reduced(c, x, positions(1), numbers(2));
  if (c.op == "index_add") return index_add(x, c.arg(0), positions(1), numbers(2));
  if (c.op == "index_copy") return index_copy(x, c.arg(0), positions(1), numbers(2));
  if (c.op == "integer_index") return x(positions(1), positions(2));
  if (c.op == "gather_nd") return gather_nd(x, positions(1));
  if (c.op == "index_put") {
    return index_put(x, {positions(1), positions(2)}, numbers(3), c.arg(0) != 0 ? Accumulate::yes : Accumulate::no);
  }
  if (c.op == "masked_scatter") return masked_scatter(x, positions(1) != 0, numbers(2));
  if (c.op == "meshgrid") {
    const std::array<Numbers, 2> grids =
        c.arg(0) != 0 ? meshgrid<Indexing::ij>(x, numbers(1)) : meshgrid(x, numbers(1));
    return grids.at(static_cast<std::size_t>(c.arg(1)));
  }
  if (c.op == "tensordot") {
    const std::vector<std::int64_t> axes(c.args.begin() + 1, c.args.end());
    const auto count = static_cast<std::size_t>(c.arg(0));
    return tensordot(x, numbers(1), std::span(axes).first(count), std::span(axes).last(count));
  }
  REQUIRE(c.op == "cdist");
  return cdist(x, numbers(1), Order{c.arg(0) == 0 ? std::numeric_limits<double>::infinity() : c.args.at(0)});
}

}  // namespace

TEST_CASE("reading and writing by index give what NumPy gives") {
  const std::vector<Case> cases = golden::read_cases("indexing/cases.txt");
  REQUIRE(cases.size() >= 200);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    golden::expect(c, result_of(c));
  }
}
