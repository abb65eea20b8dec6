// SPDX-License-Identifier: Apache-2.0
// `/=` of integers.
// first: (?=.*integers_do_not_divide)(?=.*fix_call_floor_divide_or_cast)(?=.*\bint)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<int, Cpu>& x) {
  x = floor_divide(x, 2);
}
#else
void mistake(Tensor<int, Cpu>& x) {
  x /= 2;
}
#endif
