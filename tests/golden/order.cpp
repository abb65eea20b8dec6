// SPDX-License-Identifier: Apache-2.0
// Every case of order/cases.txt on every host device, or, in a program with the CUDA backend, on a GPU.
#include <situ/order.hpp>

#include "golden.hpp"

namespace {

using namespace situ;
using golden::expect;
using golden::operand;

template <class T, class D>
bool run_sets(const golden::Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "unique") {
    const auto all = unique_all(x);
    expect(c, all.values);
    expect(c, all.indices, 1);
    expect(c, all.inverse_indices, 2);
    expect(c, all.counts, 3);
    return true;
  }
  const auto y = operand<T, D>(c.inputs[1]);
  if (c.op == "searchsorted") {
    expect(c, searchsorted(y, x));
    expect(c, searchsorted(y, x, SearchSide::right), 1);
    return true;
  }
  if (c.op != "isin") return false;
  expect(c, isin(x, y));
  return true;
}

template <class D>
bool run_bincount(const golden::Case& c) {
  const auto x = operand<std::int64_t, D>(c.inputs[0]);
  if (c.op == "bincount") return expect(c, bincount(x, c.arg(0))), true;
  if (c.op != "bincount_weighted") return false;
  return expect(c, bincount(x, operand<double, D>(c.inputs[1]))), true;
}

template <class T, class D>
bool run_histogram(const golden::Case& c) {
  const auto expect_both = [&](const auto& histogram) {
    expect(c, histogram.hist);
    expect(c, histogram.bin_edges, 1);
    return true;
  };
  const auto x = operand<T, D>(c.inputs[0]);
  if (c.op == "histogram") return expect_both(histogram(x, c.arg(0)));
  if (c.op == "histogram_between") return expect_both(histogram(x, c.arg(0), {c.args[1], c.args[2]}));
  const auto y = operand<double, D>(c.inputs[1]);
  if (c.op == "histogram_edges") return expect_both(histogram(x, y));
  return expect(c, histogram(x, c.arg(0), {c.args[1], c.args[2]}, y).hist), true;
}

template <class T, class D>
void run_places(const golden::Case& c) {
  const auto x = operand<T, D>(c.inputs[0]);
  const int axis = c.arg(0);
  const ReduceAxes axes = axis < 0 ? ReduceAxes{} : ReduceAxes(axis);
  if (c.op == "median") return expect(c, median(x, axes));
  if (c.op == "quantile") return expect(c, quantile(x, c.args[1], axes));
  if (c.op == "quantiles") return expect(c, quantile(x, {0.1, 0.5, 0.9}, axes, keepdims));
  if (c.op == "cummax") return expect(c, cummax(x, axis).values);
  if (c.op == "cummin") return expect(c, cummin(x, axis).values);
  REQUIRE(c.op == "kthvalue");
  const auto kth = kthvalue(x, c.arg(1), axis);
  expect(c, kth.values);
  expect(c, kth.indices, 1);
}

template <class D>
void run(const golden::Case& c) {
  if (c.op == "unique" || c.op == "searchsorted" || c.op == "isin") {
    CHECK((c.dtype() == "float32" ? run_sets<float, D>(c) : run_sets<std::int64_t, D>(c)));
  } else if (c.op.starts_with("bincount")) {
    CHECK(run_bincount<D>(c));
  } else if (c.op.starts_with("histogram")) {
    CHECK((c.dtype() == "float64" ? run_histogram<double, D>(c) : run_histogram<std::int64_t, D>(c)));
  } else if (c.dtype() == "float32") {
    run_places<float, D>(c);
  } else {
    run_places<double, D>(c);
  }
}

}  // namespace

#if defined(SITU_CUDA)
TEST_CASE_TEMPLATE("order and counts as NumPy gives them", D, situ::Cuda<0>) {
#else
TEST_CASE_TEMPLATE("order and counts as NumPy gives them", D, situ::Cpu, situ::Pinned) {
#endif
  const std::vector<golden::Case> cases = golden::read_cases("order/cases.txt");
  REQUIRE(cases.size() > 400);
  for (const golden::Case& c : cases) {
    CAPTURE(c.name);
    run<D>(c);
  }
}
