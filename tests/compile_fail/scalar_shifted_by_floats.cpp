// SPDX-License-Identifier: Apache-2.0
// Shifts are by integers, also of a number; a stream may stand there.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*LeftShift)(?=.*\bfloat)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  return eval(1 << cast<int>(x));
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return 1 << x;
}
#endif
