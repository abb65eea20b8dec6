// SPDX-License-Identifier: Apache-2.0
// A const tensor does not change.
// kind: a const tensor that changes
// first: (?=.*a_const_tensor_or_an_expression_cannot_change)(?=.*fix_assign_to_a_tensor)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<float, Cpu>& x) {
  Tensor y = x;
  y += 1;
}
#else
void mistake(const Tensor<float, Cpu>& x) {
  x += 1;
}
#endif
