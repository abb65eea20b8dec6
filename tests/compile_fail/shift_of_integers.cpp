// SPDX-License-Identifier: Apache-2.0
// Shifts are of scalars.
// first: tensors_have_no_shift_operators::fix_multiply_or_floor_divide
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return x * 2 + floor_divide(x, 2);
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return x << 1;
}
#endif
