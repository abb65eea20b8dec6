// SPDX-License-Identifier: Apache-2.0
// There is no arithmetic of bool.
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
  return cast<int>(x) + cast<int>(x);
}
#else
auto mistake(const Tensor<bool, Cpu>& x) {
  return x + x;
}
#endif
