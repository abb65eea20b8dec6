// SPDX-License-Identifier: Apache-2.0
// Golden cases of two operands, and the element-wise ones of three.
#include "../functions.hpp"
#include "golden.hpp"

namespace golden {

namespace {

/// The rows of the table of functions with the case's name, if they have elements `T`: `%` and `remainder` are two.
template <class T, class D>
bool run_rows(const Case& c) {
  if constexpr (!std::same_as<T, bool>) {
    if (c.op == "clamp") return expect(c, eval(clamp(operand<T, D>(c.inputs[0]), c.arg(0), c.arg(1)))), true;
  }
  if (c.inputs.size() != 2) return false;
  const auto a = operand<T, D>(c.inputs[0]);
  const auto b = operand<T, D>(c.inputs[1]);
  bool known = false;
  function_table::for_each_binary([&]<class Row>(const Row& row) {
    if constexpr (Row::template accepts<T>) {
      if (c.op == row.name) known = true, expect(c, eval(row.call(a, b)));
    }
  });
  return known;
}

template <class T, class D>
bool run_where(const Case& c) {
  return expect(c, eval(where(operand<bool, D>(c.inputs[0]), operand<T, D>(c.inputs[1]), operand<T, D>(c.inputs[2])))),
         true;
}

}  // namespace

template <class D>
bool run_binary(const Case& c) {
  if (c.op == "where") {
    return c.inputs[1].dtype == "float32" ? run_where<float, D>(c) : run_where<std::int64_t, D>(c);
  }
  if (c.inputs.size() == 2 && c.inputs[1].dtype != c.dtype()) return false;
  if (c.dtype() == "float32") return run_rows<float, D>(c);
  if (c.dtype() == "float64") return run_rows<double, D>(c);
  if (c.dtype() == "int32") return run_rows<std::int32_t, D>(c);
  if (c.dtype() == "int64") return run_rows<std::int64_t, D>(c);
  return run_rows<bool, D>(c);
}
#if defined(SITU_CUDA)
template bool run_binary<situ::Cuda<0>>(const Case&);
#else
template bool run_binary<situ::Cpu>(const Case&);
template bool run_binary<situ::Pinned>(const Case&);
#endif

}  // namespace golden
