// SPDX-License-Identifier: Apache-2.0
// Every case of composed/cases.txt: frames, parts of an axis, scans with options, topk, activations and layer_norm.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <situ/situ.hpp>

#include "golden.hpp"

namespace {

using namespace situ;
using golden::expect;
using golden::operand;

template <class D>
Tensor<double, D> framed(const golden::Case& c, const Tensor<double, D>& x) {
  std::vector<PadWidth> widths;
  for (std::size_t i = 1; i + 1 < c.args.size(); i += 2) widths.push_back({c.arg(i), c.arg(i + 1)});
  const std::span<const PadWidth> around = widths;
  constexpr std::array modes{PadMode::reflect, PadMode::symmetric, PadMode::edge, PadMode::wrap};
  return c.arg(0) == 0 ? pad(x, around, 0.25) : pad(x, around, modes.at(static_cast<std::size_t>(c.arg(0) - 1)));
}

template <class D>
void run_places(const golden::Case& c) {
  const auto x = operand<double, D>(c.inputs[0]);
  if (c.op == "pad") return expect(c, framed<D>(c, x));
  if (c.op == "narrow") return expect(c, narrow(x, c.arg(0), c.arg(1), c.arg(2)));
  if (c.op == "select") return expect(c, select(x, c.arg(0), c.arg(1)));
  if (c.op == "topk") {
    const auto best = topk(x, c.arg(0), c.arg(1), c.arg(2) != 0);
    expect(c, best.values);
    return expect(c, best.indices, 1);
  }
  const ScanOptions options{.exclusive = c.arg(1) != 0, .reverse = c.arg(2) != 0};
  if (c.op == "cumsum") return expect(c, cumsum(x, c.arg(0), options));
  REQUIRE(c.op == "cumprod");
  expect(c, cumprod(x, c.arg(0), options));
}

/// False for an operation that is no activation and no `layer_norm`.
template <class T, class D>
bool run_layer(const golden::Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "celu") return expect(c, eval(celu(x, c.args[0]))), true;
  if (c.op == "hardsigmoid") return expect(c, eval(hardsigmoid(x))), true;
  if (c.op == "hardswish") return expect(c, eval(hardswish(x))), true;
  if (c.op == "hardtanh") return expect(c, eval(hardtanh(x, c.args[0], c.args[1]))), true;
  if (c.op == "mish") return expect(c, eval(mish(x))), true;
  if (c.op == "softsign") return expect(c, eval(softsign(x))), true;
  if (c.op == "prelu") return expect(c, eval(prelu(x, operand<T, D>(c.inputs[1])))), true;
  if (c.op != "layer_norm") return false;
  return expect(c, layer_norm(x, operand<T, D>(c.inputs[1]), operand<T, D>(c.inputs[2]), c.args[0])), true;
}

}  // namespace

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("composed operations give what NumPy gives", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("composed operations give what NumPy gives", D, situ::Cpu, situ::Pinned) {
#endif
  const std::vector<golden::Case> cases = golden::read_cases("composed/cases.txt");
  REQUIRE(cases.size() > 500);
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    if (!(c.dtype() == "float32" ? run_layer<float, D>(c) : run_layer<double, D>(c))) run_places<D>(c);
  }
}
