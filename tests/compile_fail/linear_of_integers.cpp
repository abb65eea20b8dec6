// SPDX-License-Identifier: Apache-2.0
// There is no linear of integers.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Linear)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/linear.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int, Cpu>& x) {
  return linear(cast<float>(x), cast<float>(x));
}
#else
auto mistake(const Tensor<int, Cpu>& x) {
  return linear(x, x);
}
#endif
