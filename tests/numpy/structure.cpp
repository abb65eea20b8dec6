// SPDX-License-Identifier: Apache-2.0
// What moves elements, and what reads and writes them by index and by mask.
#include "case.hpp"

#include <situ/indexing.hpp>

namespace numpy {

namespace {

using namespace situ;

template <class T>
bool moved(const Case& c, Results& give) {
  const numpy::Tensor<T> x = operand<T>(c.inputs[0]);
  if (c.op == "copy") return give(contiguous(x));
  if (c.op == "reshape") return give(reshape(x, Shape{std::span<const Index>(c.list(0))}));
  if (c.op == "permute") return give(permute(x, c.list(0)));
  if (c.op == "flip") return give(flip(x, ReduceAxes(c.list(0))));
  if (c.op == "roll") return give(c.args.size() == 1 ? roll(x, c.arg(0)) : roll(x, c.arg(0), c.arg(1)));
  if (c.op == "tile") return give(tile(x, c.list(0)));
  if (c.op == "repeat") return give(repeat(x, c.arg(0), c.arg(1)));
  if (c.op == "moveaxis") return give(moveaxis(x, c.arg(0), c.arg(1)));
  if (c.op == "split") {
    for (const auto& part : split(x, std::span<const Index>(c.list(1)), c.arg(0))) give(part);
    return true;
  }
  if (c.op == "concat" || c.op == "stack") {
    std::vector<numpy::Tensor<T>> parts;
    for (const Input& input : c.inputs) parts.push_back(operand<T>(input));
    return give(c.op == "concat" ? situ::concat(parts, c.arg(0)) : situ::stack(parts, c.arg(0)));
  }
  if (c.op == "pad") {  // the mode, the value, widths
    std::vector<PadWidth> widths;
    for (std::size_t i = 2; i + 1 < c.args.size(); i += 2) widths.push_back({c.arg(i), c.arg(i + 1)});
    const std::span<const PadWidth> around = widths;
    constexpr PadMode modes[] = {PadMode::reflect, PadMode::symmetric, PadMode::edge, PadMode::wrap};
    return give(c.arg(0) == 0 ? pad(x, around, static_cast<T>(c.args[1])) : pad(x, around, modes[c.arg(0) - 1]));
  }
  if (c.op == "triu") return give(triu(x, c.arg(0)));
  if (c.op == "tril") return give(tril(x, c.arg(0)));
  return false;
}

template <class T>
bool placed(const Case& c, Results& give) {
  numpy::Tensor<T> x = operand<T>(c.inputs.at(0));
  const auto positions = [&] { return operand<Index>(c.inputs.at(1)); };
  const auto mask = [&] { return operand<bool>(c.inputs.at(1)); };
  const auto source = [&] { return operand<T>(c.inputs.at(2)); };
  if (c.op == "take") return give(take(x, positions(), c.arg(0)));
  if (c.op == "gather") return give(gather(x, c.arg(0), positions()));
  if (c.op == "scatter") return give(scatter(x, c.arg(0), positions(), source()));
  if (c.op == "scatter_add") return give(scatter_add(x, c.arg(0), positions(), source()));
  if (c.op == "index_add") return give(index_add(x, c.arg(0), positions(), source()));
  if (c.op == "pick") return give(x(positions(), operand<Index>(c.inputs.at(2))));
  if (c.op == "put") {
    return give(index_put(x, {positions(), operand<Index>(c.inputs.at(2))}, operand<T>(c.inputs.at(3)),
                          c.flag(0) ? Accumulate::yes : Accumulate::no));
  }
  if (c.op == "masked_select") return give(masked_select(x, mask()));
  if (c.op == "masked_fill") return give(masked_fill(x, mask(), static_cast<T>(c.args[0])));
  if (c.op == "masked_scatter") return give(masked_scatter(x, mask(), source()));
  if (c.op == "nonzero") return give(nonzero(x));
  if (c.op == "assign") {  // axis, start, stop, step
    std::vector<IndexItem> items(static_cast<std::size_t>(x.rank()));
    items.at(static_cast<std::size_t>(c.arg(0))) = range(c.arg(1), c.arg(2), c.arg(3));
    x.at(items) = operand<T>(c.inputs.at(1));
    return give(x);
  }
  return false;
}

}  // namespace

bool run_structure(const Case& c, Results& give) {
  const std::string& t = c.dtype();
  if (t == "uint8") return moved<std::uint8_t>(c, give);
  if (t == "float32") return moved<float>(c, give);
#if defined(SITU_NUMPY_EVERY_TYPE)
  if (t == "int64") return moved<Index>(c, give);
#endif
  return false;
}

bool run_places(const Case& c, Results& give) {
#if defined(SITU_NUMPY_EVERY_TYPE)
  if (c.dtype() == "float32") return placed<float>(c, give);
#endif
  return c.dtype() == "int64" && placed<Index>(c, give);
}

}  // namespace numpy
