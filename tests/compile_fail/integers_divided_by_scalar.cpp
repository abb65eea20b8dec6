// SPDX-License-Identifier: Apache-2.0
// Integers do not divide, by a scalar neither.
// first: (?=.*integers_do_not_divide)(?=.*fix_call_floor_divide_or_cast)(?=.*\bint)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return floor_divide(x, 2);
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return x / 2;
}
#endif
