// SPDX-License-Identifier: Apache-2.0
// There is no arithmetic of bool with a scalar either.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Add)(?=.*bool)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool, Cpu>& x) {
  return 1 + cast<int>(x);
}
#else
auto mistake(const Tensor<bool, Cpu>& x) {
  return 1 + x;
}
#endif
