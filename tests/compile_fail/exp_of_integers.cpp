// SPDX-License-Identifier: Apache-2.0
// A function of floating elements.
// kind: elements that an operation is not for
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Exp)(?=.*\bint)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/unary.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return exp(cast<float>(x));
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return exp(x);
}
#endif
