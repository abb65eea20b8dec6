// SPDX-License-Identifier: Apache-2.0
// Golden cases of one operand.
#include "../functions.hpp"
#include "golden.hpp"

namespace golden {

namespace {

/// The row with the case's name among those that `visit_rows` visits, if it has elements `T`.
template <class T, class D, class VisitRows>
bool run_row(const Case& c, const VisitRows& visit_rows) {
  const auto x = operand<T, D>(c.inputs[0]);
  bool known = false;
  const auto run = [&]<class Row>(const Row& row) {
    if constexpr (Row::template accepts<T>) {
      if (c.op == row.name) known = true, expect(c, eval(row.call(x)));
    }
  };
  visit_rows([&run](const auto&... row) { (run(row), ...); });
  return known;
}

constexpr auto all_rows = [](const auto& visit) { function_table::for_each_unary(visit); };

}  // namespace

template <class D>
bool run_unary(const Case& c) {
  if (c.inputs.size() != 1) return false;
  if (c.dtype() == "float32") return run_row<float, D>(c, all_rows);
  if (c.dtype() == "float64") return run_row<double, D>(c, all_rows);
  // What others do to integers stands in unit/functional.cpp; here it would only be compiled.
  if (c.dtype() == "int32") return run_row<std::int32_t, D>(c, function_table::arithmetic);
  if (c.dtype() == "int64") return run_row<std::int64_t, D>(c, function_table::arithmetic);
  if (c.dtype() == "bool") return run_row<bool, D>(c, function_table::inversions);
  return false;
}
#if defined(SITU_CUDA)
template bool run_unary<situ::Cuda<0>>(const Case&);
#else
template bool run_unary<situ::Cpu>(const Case&);
template bool run_unary<situ::Pinned>(const Case&);
#endif

}  // namespace golden
