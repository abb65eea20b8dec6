// SPDX-License-Identifier: Apache-2.0
// Every case of loss/cases.txt on every host device, or, in a program with the CUDA backend, on a GPU.
#include <situ/situ.hpp>

#include "golden.hpp"

namespace {

using namespace situ;
using golden::expect;
using golden::operand;

constexpr std::int64_t ignored = -100;

template <class T, class D>
void run_loss(const golden::Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  const auto labels = operand<std::int64_t, D>(c.inputs[1]);
  const Reduction reduction = c.arg(0) == 0 ? Reduction::mean : c.arg(0) == 1 ? Reduction::sum : Reduction::none;
  const bool weighted = c.inputs.size() == 3;
  if (c.op == "nll_loss") {
    const NllLossOptions options{.ignore_index = ignored, .reduction = reduction};
    return expect(c, weighted ? nll_loss(x, labels, operand<T, D>(c.inputs[2]), options) : nll_loss(x, labels, options));
  }
  REQUIRE(c.op == "cross_entropy");
  const CrossEntropyOptions options{.ignore_index = ignored, .reduction = reduction, .label_smoothing = c.args[1]};
  expect(c, weighted ? cross_entropy(x, labels, operand<T, D>(c.inputs[2]), options)
                     : cross_entropy(x, labels, options));
}

}  // namespace

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("losses of classes by the formulas of PyTorch", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("losses of classes by the formulas of PyTorch", D, situ::Cpu, situ::Pinned) {
#endif
  const std::vector<golden::Case> cases = golden::read_cases("loss/cases.txt");
  REQUIRE(cases.size() > 600);
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    if (c.dtype() == "float32") run_loss<float, D>(c);
    else run_loss<double, D>(c);
  }
}
