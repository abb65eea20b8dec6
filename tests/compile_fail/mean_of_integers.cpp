// SPDX-License-Identifier: Apache-2.0
// A mean needs floating elements.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Mean)(?=.*\bint)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/reduce.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return mean(cast<float>(x), 1);
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return mean(x, 1);
}
#endif
