// SPDX-License-Identifier: Apache-2.0
// The same with `==`.
// first: (?=.*scalar_does_not_fit_elements)(?=.*fix_cast_the_scalar_or_the_tensor)(?=.*\bint)(?=.*double)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return 1 == x;
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return 1.5 == x;
}
#endif
