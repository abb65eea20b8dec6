// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and what sorts.
#include "case.hpp"

#include <situ/order.hpp>

namespace numpy {

namespace {

using namespace situ;

/// Arguments: whether the axes stay, the number of them, the axes; none of them means all.
ReduceAxes axes_of(const Case& c) { return c.arg(1) == 0 ? ReduceAxes{} : ReduceAxes(c.list(2)); }

template <class T>
bool reduced(const Case& c, Results& give) {
  const numpy::Tensor<T> x = operand<T>(c.inputs[0]);
  const KeepDims keep = c.flag(0) ? KeepDims::yes : KeepDims::no;
  const ReduceAxes axes = axes_of(c);
  if (c.op == "sum") return give(sum(x, axes, keep));
  if (c.op == "max") return give(max(x, axes, keep));
  if (c.op == "min") return give(min(x, axes, keep));
  if (c.op == "argmax") return give(c.arg(1) == 0 ? argmax(x, keep) : argmax(x, c.arg(2), keep));
  if (c.op == "argmin") return give(c.arg(1) == 0 ? argmin(x, keep) : argmin(x, c.arg(2), keep));
  if constexpr (!std::is_same_v<T, bool>) {
    if (c.op == "prod") return give(prod(x, axes, keep));
  }
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (c.op == "mean") return give(mean(x, axes, keep));
    if (c.op == "var") return give(var(x, axes, keep, Ddof{0}));
    if (c.op == "std1") return give(stddev(x, axes, keep, Ddof{1}));
    if (c.op == "norm") return give(norm(x, axes, keep));
    if (c.op == "logsumexp") return give(logsumexp(x, axes, keep));
  }
  return false;
}
template <class T>
bool truth(const Case& c, Results& give) {
  const numpy::Tensor<T> x = operand<T>(c.inputs[0]);
  const KeepDims keep = c.flag(0) ? KeepDims::yes : KeepDims::no;
  if (c.op == "any") return give(any(x, axes_of(c), keep));
  if (c.op == "all") return give(situ::all(x, axes_of(c), keep));
  if (c.op == "count_nonzero") return give(count_nonzero(x, axes_of(c), keep));
  return false;
}

/// Arguments: the axis, and what the operation has.
template <class T>
bool scanned(const Case& c, Results& give) {
  const numpy::Tensor<T> x = operand<T>(c.inputs[0]);
  if (c.op == "cumsum") return give(cumsum(x, c.arg(0)));
  if (c.op == "cumprod") return give(cumprod(x, c.arg(0)));
  if (c.op == "cumsum_with") return give(cumsum(x, c.arg(0), {.exclusive = c.flag(1), .reverse = c.flag(2)}));
  if (c.op == "cummax") return give(cummax(x, c.arg(0)).values);
  if (c.op == "cummin") return give(cummin(x, c.arg(0)).values);
  if (c.op == "diff") return give(diff(x, c.arg(0)));
  return false;
}

template <class T>
bool sorted(const Case& c, Results& give) {
  const numpy::Tensor<T> x = operand<T>(c.inputs[0]);
  if (c.op == "sort") return give(sort(x, c.arg(0), c.flag(1)));
  if (c.op == "argsort") return give(argsort(x, c.arg(0), c.flag(1)));
  if (c.op == "unique") return give(unique(x));
  if (c.op == "unique_counts") {
    const auto found = unique_counts(x);
    give(found.values);
    return give(found.counts);
  }
  if (c.op == "topk") {
    const auto best = topk(x, c.arg(1), c.arg(0), c.flag(2));
    give(best.values);
    return give(best.indices);
  }
  return false;
}

bool searched(const Case& c, Results& give) {
  if (c.op == "median") return give(median(operand<double>(c.inputs[0]), axes_of(c)));
  if (c.op == "searchsorted") return give(searchsorted(operand<float>(c.inputs[0]), operand<float>(c.inputs[1])));
  if (c.op == "isin") return give(isin(operand<Index>(c.inputs[0]), operand<Index>(c.inputs[1])));
  if (c.op == "bincount") return give(bincount(operand<Index>(c.inputs[0]), c.arg(0)));
  return false;
}

}  // namespace

bool run_reduction(const Case& c, Results& give) {
  if (c.inputs.size() != 1 || c.args.size() < 2 || c.op == "median") return false;
  const std::string& t = c.dtype();
  if (c.op == "any" || c.op == "all" || c.op == "count_nonzero") {
#if defined(SITU_NUMPY_EVERY_TYPE)
    if (t == "float32") return truth<float>(c, give);
#endif
    return t == "bool" && truth<bool>(c, give);
  }
  if (t == "float32") return reduced<float>(c, give);
  if (t == "uint8") return reduced<std::uint8_t>(c, give);
#if defined(SITU_NUMPY_EVERY_TYPE)
  if (t == "float64") return reduced<double>(c, give);
  if (t == "int32") return reduced<std::int32_t>(c, give);
#endif
  return false;
}

bool run_order(const Case& c, Results& give) {
  if (searched(c, give)) return true;
  if (c.inputs.size() != 1) return false;
  const std::string& t = c.dtype();
  if (t == "float32") return scanned<float>(c, give) || sorted<float>(c, give);
#if defined(SITU_NUMPY_EVERY_TYPE)
  if (t == "float64") return scanned<double>(c, give);
  if (t == "int64") return scanned<Index>(c, give) || sorted<Index>(c, give);
  if (t == "uint8") return sorted<std::uint8_t>(c, give);
#endif
  return false;
}

}  // namespace numpy
