// SPDX-License-Identifier: Apache-2.0
// The logical operators are those of bool.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*LogicalAnd)(?=.*float)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return x > 0 && x < 1;
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return x && x;
}
#endif
